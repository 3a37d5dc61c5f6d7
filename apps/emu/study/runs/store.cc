#include "study/runs/store.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>

#include "common/environment.h"

extern char** environ;

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

// Before any time of change of a file.
constexpr std::int64_t no_file = std::numeric_limits<std::int64_t>::min();

// Time of the last change of a regular file; no_file if there is none.
std::int64_t changed(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return no_file;
  const auto time = fs::last_write_time(path, error);
  return error ? no_file : time.time_since_epoch().count();
}

bool counts(const fs::path& folder, Reuse reuse) {
  std::error_code error;
  return reuse == Reuse::all || (reuse == Reuse::interrupted && !fs::exists(folder / "finished", error));
}

// Prepares `folder` for runs of `identity`: empties it if it has runs of another identity, or runs that do
// not count.
bool open_folder(const fs::path& folder, const std::string& identity, Reuse reuse) {
  std::error_code error;
  if (!counts(folder, reuse) || contents(folder / "identity") != identity) fs::remove_all(folder, error);
  fs::create_directories(folder, error);
  if (!fs::exists(folder / "identity", error))
    std::ofstream(folder / "identity", std::ios::binary) << identity;
  return contents(folder / "identity") == identity;
}

int records(const fs::path& folder) {
  std::error_code error;
  int count = 0;
  for (const auto& entry : fs::directory_iterator(folder, error))
    count += entry.path().extension() == ".record";
  return count;
}

// Set by shells, terminals and logins for themselves; different values must not make a different study.
constexpr std::array own_variables = {"_",       "SHLVL",         "OLDPWD",     "PWD",
                                      "COLUMNS", "LINES",         "WINDOWID",   "TERM_SESSION_ID",
                                      "SSH_TTY", "SSH_AUTH_SOCK", "SSH_CLIENT", "SSH_CONNECTION"};

}  // namespace

void Identity::add_surroundings(const std::map<std::string, std::string>& changed) {
  std::error_code error;
  folder = fs::current_path(error).string();
  for (char** variable = ::environ; variable && *variable; ++variable) {
    const std::string text = *variable, name = text.substr(0, text.find('='));
    if (std::find(own_variables.begin(), own_variables.end(), name) != own_variables.end()) continue;
    const auto other = changed.find(name);
    environment.push_back(other == changed.end() ? text : name + "=" + other->second);
  }
  for (const auto& [name, value] : changed)
    if (!std::getenv(name.c_str())) environment.push_back(name + "=" + value);
  std::sort(environment.begin(), environment.end());
}

std::string Identity::text() const {
  std::string text;
  for (const std::string& program : programs) text += "program " + stamp(program) + "\n";
  for (const std::string& word : arguments) text += fmt::format("argument {} {}\n", word.size(), word);
  for (const std::string& option : options) text += fmt::format("option {} {}\n", option.size(), option);
  for (const std::string& library : libraries) text += "library " + stamp(library) + "\n";
  text += fmt::format("folder {} {}\n", folder.size(), folder);
  for (const std::string& variable : environment)
    text += fmt::format("environment {} {:016x}\n", variable.substr(0, variable.find('=')),
                        std::hash<std::string>()(variable));
  return text + "target\n" + target;
}

Store::Store(const Identity& identity, Reuse reuse) {
  const fs::path place = cache();
  if (place.empty()) return;
  const std::string text = identity.text();
  const fs::path folder = place / fmt::format("study-{:016x}", std::hash<std::string>()(text));
  if (open_folder(folder, text, reuse)) {
    folder_ = folder;
    std::error_code error;
    if (!fs::exists(folder / "finished", error)) left_ = records(folder);
  } else {
    spdlog::warn("{} cannot be written, so this study cannot be continued if it is stopped", folder.string());
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

fs::path Store::notes_file(int ranks, int repeat) const {
  return folder_ / fmt::format("{}-{}.notes", ranks, repeat);
}

std::optional<Kept> Store::find(int ranks, int repeat) const {
  if (folder_.empty()) return {};
  const fs::path path = file(ranks, repeat);
  const std::int64_t kept = changed(path);
  if (kept == no_file) return {};
  for (const auto& [word, time] : inputs_)
    if (changed(word) > kept) return {};
  const auto run = record::read(path);
  if (!run || static_cast<int>(run->ranks.size()) != ranks) return {};
  const auto age = fs::file_time_type::clock::now() - fs::file_time_type(fs::file_time_type::duration(kept));
  Kept result{*run, std::chrono::duration<double>(age).count(), 0, {}};
  std::ifstream notes(notes_file(ranks, repeat));
  double metric = 0;
  if (notes >> result.host_seconds && notes >> metric) result.metric = metric;
  return result;
}

void Store::finish() const {
  if (!folder_.empty()) std::ofstream(folder_ / "finished", std::ios::binary) << '\n';
}

void Store::keep(int ranks, int repeat, const std::string& record, double host_seconds,
                 std::optional<double> metric) const {
  if (folder_.empty()) return;
  std::ofstream(notes_file(ranks, repeat))
      << fmt::format("{} {}\n", host_seconds, metric ? fmt::format("{}", *metric) : "");
  // Written completely or not at all, even if this process is killed.
  const fs::path path = file(ranks, repeat), part = path.string() + ".part";
  std::error_code error;
  fs::copy_file(record, part, fs::copy_options::overwrite_existing, error);
  if (!error) fs::rename(part, path, error);
  if (error) spdlog::debug("{}: {}", path.string(), error.message());
}

}  // namespace emu::app::studies
