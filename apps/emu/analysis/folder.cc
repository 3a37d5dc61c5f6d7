#include "analysis/folder.h"

#include <algorithm>
#include <filesystem>

namespace emu::analysis {

Result<Folder> Folder::open(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return fail(path + ": no such trace");
  if (!std::filesystem::is_directory(path, error))
    return fail(path +
                ": not a trace (expected a folder with a file per rank, as emu run --trace writes it)");
  const auto first = Reader::open(record::file_of(path, 0));
  if (!first) return tl::unexpected(first.error());
  Folder folder;
  folder.path_ = path;
  folder.ranks_ = (*first)->header().ranks;
  folder.target_ = (*first)->header().target;
  std::vector<std::string> programs;
  for (int rank = 0; rank < folder.ranks_; ++rank) {
    const auto reader = Reader::open(record::file_of(path, rank));
    if (!reader) return tl::unexpected(reader.error());
    const record::Header& header = (*reader)->header();
    if (header.rank != rank || header.ranks != folder.ranks_ || header.target != folder.target_)
      return fail(record::file_of(path, rank) + ": belongs to another trace");
    if (std::find(programs.begin(), programs.end(), header.program) == programs.end()) {
      folder.program_ += (programs.empty() ? "" : " : ") + header.program;
      programs.push_back(header.program);
    }
    if (const auto size = std::filesystem::file_size(record::file_of(path, rank), error); !error)
      folder.bytes_ += size;
    folder.locations_.push_back({header.node, header.group});
  }
  return folder;
}

Result<std::optional<record::RunSummary>> Folder::summary() const {
  const std::string file = record::summary_of_trace(path_);
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return std::optional<record::RunSummary>();
  auto run = record::read(file);
  if (!run) return tl::unexpected(run.error());
  return std::optional(std::move(*run));
}

Result<bool> Folder::visit(int rank, const Visit& visit, std::string* cut) const {
  auto reader = Reader::open(record::file_of(path_, rank));
  if (!reader) return tl::unexpected(reader.error());
  Event event;
  std::uint64_t reported = 0;
  for (;;) {
    const auto more = (*reader)->next(event);
    if (!more) return more;
    if (watch_ && (*reader)->position() > reported) {
      watch_((*reader)->position() - reported);
      reported = (*reader)->position();
    }
    if (!*more) break;
    visit(event);
  }
  if (cut) *cut = (*reader)->cut();
  return (*reader)->complete();
}

}  // namespace emu::analysis
