#include "common/progress.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "base/units.h"
#include "record/status.h"

namespace emu::app {
namespace {

constexpr auto redraw_every = std::chrono::milliseconds(200);

// Checks that the records of `status` are inside a region of `bytes`.
bool plausible(const record::JobStatus& status, std::size_t bytes) {
  if (status.magic != record::JobStatus::magic_value || status.ranks < 1 || status.first_record > bytes)
    return false;
  if (status.stride < static_cast<int>(sizeof(record::RankStatus)) ||
      status.first_record % alignof(record::RankStatus) || status.stride % alignof(record::RankStatus))
    return false;
  return static_cast<std::size_t>(status.ranks) * status.stride <= bytes - status.first_record;
}

}  // namespace

ProgressReader::ProgressReader(std::string status_file) : status_file_(std::move(status_file)) {}

ProgressReader::~ProgressReader() {
  if (memory_) ::munmap(memory_, bytes_);
}

bool ProgressReader::map() {
  if (memory_) return true;
  std::ifstream in(status_file_);
  long pid = 0, fd = -1;
  std::size_t bytes = 0;
  if (!(in >> pid >> fd >> bytes) || bytes < sizeof(record::JobStatus)) return false;
  const std::string path = "/proc/" + std::to_string(pid) + "/fd/" + std::to_string(fd);
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  struct stat status;
  // An access beyond the file's end would be a fault.
  const bool large_enough = ::fstat(file, &status) == 0 && static_cast<std::size_t>(status.st_size) >= bytes;
  void* memory = large_enough ? ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file, 0) : MAP_FAILED;
  ::close(file);
  if (memory == MAP_FAILED) return false;
  memory_ = memory;
  bytes_ = bytes;
  return true;
}

std::optional<Progress> ProgressReader::read() {
  if (!map()) return {};
  const auto& status = *static_cast<const record::JobStatus*>(memory_);
  if (!plausible(status, bytes_)) return {};
  const char* record = static_cast<const char*>(memory_) + status.first_record;
  Progress progress;
  progress.slowest = Instant::never();
  for (int rank = 0; rank < status.ranks; ++rank, record += status.stride) {
    const auto& own = *reinterpret_cast<const record::RankStatus*>(record);
    const Instant clock = Instant::from_picoseconds(own.clock.load(std::memory_order_relaxed));
    progress.messages += own.messages.load(std::memory_order_relaxed);
    if (clock >= progress.slowest) continue;
    progress.slowest = clock;
    progress.rank = rank;
  }
  progress.finished = progress.slowest.is_never();
  return progress;
}

std::string describe(const Progress& progress) {
  const std::string messages = std::to_string(progress.messages) + " messages";
  if (progress.finished) return "all ranks finished, " + messages;
  return "virtual time " + format(progress.slowest - Instant::start(), 4) + ", " + messages +
         ", slowest rank " + std::to_string(progress.rank);
}

ProgressLine::ProgressLine(std::string status_file, std::string before)
    : reader_(std::move(status_file)),
      before_(std::move(before)),
      terminal_(::isatty(STDERR_FILENO)),
      next_(std::chrono::steady_clock::now()) {}

void ProgressLine::update() {
  const auto now = std::chrono::steady_clock::now();
  if (!terminal_ || now < next_) return;
  next_ = now + redraw_every;
  const auto progress = reader_.read();
  if (!progress && before_.empty()) return;
  // The cursor returns to the front, so that the program's next output begins a new line.
  std::fprintf(stderr, "\r\033[Kemu: %s%s\r", before_.c_str(),
               progress ? describe(*progress).c_str() : "starting");
  std::fflush(stderr);
  shown_ = true;
}

void ProgressLine::clear() {
  if (shown_) std::fputs("\r\033[K", stderr);
  shown_ = false;
}

std::string bar(double share, double seconds_so_far) {
  constexpr int width = 20;
  share = std::clamp(share, 0.0, 1.0);
  const auto filled = static_cast<std::size_t>(width * share);
  std::string text = "[" + std::string(filled, '#') + std::string(width - filled, '.') + "] " +
                     std::to_string(static_cast<int>(100 * share)) + " %";
  if (share > 0.01 && share < 1)
    text += ", about " + format(Interval::seconds(seconds_so_far / share * (1 - share)), 2) + " left";
  return text;
}

Bar::Bar(std::string what, std::uint64_t all)
    : what_(std::move(what)),
      all_(all),
      terminal_(::isatty(STDERR_FILENO)),
      begun_(std::chrono::steady_clock::now()),
      next_(begun_ + redraw_every) {}

void Bar::advance(std::uint64_t by) {
  done_ += by;
  if (!terminal_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + redraw_every;
  const double share = all_ == 0 ? 1 : static_cast<double>(done_) / static_cast<double>(all_);
  const std::chrono::duration<double> so_far = now - begun_;
  std::fprintf(stderr, "\r\033[Kemu: %s %s\r", what_.c_str(), bar(share, so_far.count()).c_str());
  std::fflush(stderr);
  shown_ = true;
}

void Bar::clear() {
  if (shown_) std::fputs("\r\033[K", stderr);
  shown_ = false;
}

}  // namespace emu::app
