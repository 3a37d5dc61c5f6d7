#include "goal_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace emu::goal {

Result<Schedule> parse(std::string_view text, const std::string& origin) {
  Reader reader(text, origin);
  const auto ranks = reader.ranks();
  if (!ranks) return tl::unexpected(ranks.error());
  Schedule schedule;
  schedule.ranks.resize(static_cast<std::size_t>(*ranks));
  Block block;
  for (;;) {
    const auto more = reader.next(block);
    if (!more) return tl::unexpected(more.error());
    if (!*more) return schedule;
    std::vector<Operation>& operations = schedule.ranks[static_cast<std::size_t>(block.rank)];
    for (const Step& step : block.steps) operations.push_back({step, {}, {}});
    for (const Dependency& d : block.dependencies) {
      Operation& of = operations[static_cast<std::size_t>(d.of)];
      (d.complete ? of.requires_ : of.irequires).push_back(d.on);
    }
  }
}

Result<File> File::open(const std::string& path) {
  const auto unreadable = [&] { return fail(path + ": cannot be read"); };
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return unreadable();
  struct stat status {};
  const bool is_file = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
  const auto size = static_cast<std::size_t>(status.st_size);
  void* data = nullptr;
  if (is_file && size > 0) data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  const int why = errno;
  close(fd);
  if (data == MAP_FAILED && why == ENOMEM)
    return fail(path + ": its " + std::to_string(size >> 20) +
                " MiB exceed the address space (see ulimit -v)");
  if (!is_file || data == MAP_FAILED) return unreadable();
  return File(data, size);
}

void File::forget(std::string_view text) {
  if (!text.empty()) madvise(const_cast<char*>(text.data()), text.size(), MADV_DONTNEED);
}

File::File(File&& from) noexcept
    : data_(std::exchange(from.data_, nullptr)), size_(std::exchange(from.size_, 0)) {}

File::~File() {
  if (data_) munmap(data_, size_);
}

}  // namespace emu::goal
