#include "study/store.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <fstream>
#include <functional>
#include <iterator>
#include <limits>

#include "common/environment.h"

namespace emu::app::studies {
namespace fs = std::filesystem;
namespace {

fs::path cache() {
  const std::string folder = environment().cache;
  return folder.empty() ? fs::path() : fs::path(folder) / "emu";
}

std::string stamp(const std::string& path) {
  std::error_code error;
  const auto size = fs::file_size(path, error);
  const auto time = fs::last_write_time(path, error);
  return fmt::format("{} {} {}", path, error ? 0 : size, error ? 0 : time.time_since_epoch().count());
}

std::string contents(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// Before every time that a file can have been changed.
constexpr std::int64_t no_file = std::numeric_limits<std::int64_t>::min();

// When a regular file was last changed; no_file if there is none.
std::int64_t changed(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return no_file;
  const auto time = fs::last_write_time(path, error);
  return error ? no_file : time.time_since_epoch().count();
}

// Makes `folder` the place for runs of `identity`: empty, if runs of another are there.
bool open_folder(const fs::path& folder, const std::string& identity, bool fresh) {
  std::error_code error;
  if (fresh || contents(folder / "identity") != identity) fs::remove_all(folder, error);
  fs::create_directories(folder, error);
  if (!fs::exists(folder / "identity", error))
    std::ofstream(folder / "identity", std::ios::binary) << identity;
  return contents(folder / "identity") == identity;
}

}  // namespace

std::string Identity::text() const {
  std::string text = "program " + stamp(program) + "\n";
  for (const std::string& word : arguments) text += fmt::format("argument {} {}\n", word.size(), word);
  for (const std::string& option : options) text += fmt::format("option {} {}\n", option.size(), option);
  for (const std::string& library : libraries) text += "library " + stamp(library) + "\n";
  return text + "target\n" + target;
}

Store::Store(const Identity& identity, bool fresh) {
  const fs::path place = cache();
  if (place.empty()) return;
  const std::string text = identity.text();
  const fs::path folder = place / fmt::format("study-{:016x}", std::hash<std::string>()(text));
  if (open_folder(folder, text, fresh)) {
    folder_ = folder;
  } else {
    spdlog::warn("{} cannot be written, so this study cannot go on later if it is stopped", folder.string());
  }
  for (const std::string& word : identity.arguments) inputs_[word] = no_file;
  std::ifstream outputs(folder_ / "outputs");
  for (std::string word; std::getline(outputs, word);) inputs_.erase(word);
}

void Store::before_run() {
  for (auto& [word, time] : inputs_) time = changed(word);
}

void Store::after_run() {
  std::erase_if(inputs_, [&](const auto& input) {
    if (changed(input.first) == input.second) return false;
    if (!folder_.empty()) std::ofstream(folder_ / "outputs", std::ios::app) << input.first << '\n';
    return true;
  });
}

fs::path Store::file(int ranks, int repeat) const {
  return folder_ / fmt::format("{}-{}.record", ranks, repeat);
}

std::optional<record::RunSummary> Store::find(int ranks, int repeat) const {
  if (folder_.empty()) return {};
  const fs::path path = file(ranks, repeat);
  const std::int64_t kept = changed(path);
  if (kept == no_file) return {};
  for (const auto& [word, time] : inputs_)
    if (changed(word) > kept) return {};
  const auto run = record::read(path);
  if (!run || static_cast<int>(run->ranks.size()) != ranks) return {};
  return *run;
}

void Store::keep(int ranks, int repeat, const std::string& record) const {
  if (folder_.empty()) return;
  // Whole or not at all, whatever happens meanwhile.
  const fs::path path = file(ranks, repeat), part = path.string() + ".part";
  std::error_code error;
  fs::copy_file(record, part, fs::copy_options::overwrite_existing, error);
  if (!error) fs::rename(part, path, error);
  if (error) spdlog::debug("{}: {}", path.string(), error.message());
}

}  // namespace emu::app::studies
