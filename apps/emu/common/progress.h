// Progress of a run, and the line on the terminal that shows it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/time.h"

namespace emu::app {

struct Progress {
  Instant slowest;            // the least virtual clock of all ranks
  int rank = 0;               // its rank
  std::int64_t messages = 0;  // number sent by all ranks, with control messages
  bool finished = false;      // all ranks have finished; then `slowest` and `rank` have no meaning
};

// Reader of the memory that the ranks of a running job share (record/status.h).
class ProgressReader {
 public:
  // `status_file` contains a line "PID FD BYTES" once the job has started: process PID has the memory open as
  // file FD.
  explicit ProgressReader(std::string status_file);
  ~ProgressReader();
  ProgressReader(const ProgressReader&) = delete;
  ProgressReader& operator=(const ProgressReader&) = delete;

  // nullopt if there is no information yet. Never fails: progress is optional.
  std::optional<Progress> read();

 private:
  bool map();

  std::string status_file_;
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

// One line at the bottom of the terminal, redrawn at most five times a second. Without effect if
// stderr is not a terminal.
class ProgressLine {
 public:
  // The line begins with `before`.
  explicit ProgressLine(std::string status_file, std::string before = "");
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void update();
  void clear();

 private:
  ProgressReader reader_;
  std::string before_;
  bool terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point next_;
};

// Progress of a long task on such a line, with the remaining time.
class Bar {
 public:
  Bar(std::string what, std::uint64_t all);
  ~Bar() { clear(); }
  Bar(const Bar&) = delete;
  Bar& operator=(const Bar&) = delete;

  void advance(std::uint64_t by);
  void clear();

 private:
  const std::string what_;
  const std::uint64_t all_;
  std::uint64_t done_ = 0;
  bool terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point begun_, next_;
};

// "[########............] 40 %, about 3 s left"
std::string bar(double share, double seconds_so_far);

// "virtual time 4.37 s, 12345 messages, slowest rank 3"
std::string describe(const Progress& progress);

}  // namespace emu::app
