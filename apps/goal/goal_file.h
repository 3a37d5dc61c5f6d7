// A GOAL schedule: the sends, receives and computations of each rank, and the dependencies between them.
//
//   num_ranks 2                             // line and /* block */ comments
//   rank 0 {
//   a: calc 100                             // a label, then an operation; the label may be left out
//   b: send 1024b to 1 tag 7                // the tag may be left out: 0
//   b requires a                            // b starts when a is complete
//   }
//   rank 1 {
//   a: recv 1024b from 0 tag 7
//   b: calc 50
//   b irequires a                           // b starts when a has been started
//   }
//
// There is one statement on a line. A rank without a block does nothing. The file does not contain the unit of `calc`.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/failure.h"
#include "reader.h"

namespace emu::goal {

struct Operation : Step {
  std::vector<int>
      requires_;  // operations of this rank (by index) that must be complete before this one starts
  std::vector<int> irequires;  // operations of this rank that must have started before this one starts
};

struct Schedule {
  std::vector<std::vector<Operation>> ranks;  // operations in file order
};

// A failure names origin and line, and the expected form. A returned schedule has no cycle.
Result<Schedule> parse(std::string_view text, const std::string& origin);

// Contents of a file, during the lifetime of the object. Only pages that are being read occupy memory.
class File {
 public:
  static Result<File> open(const std::string& path);
  File(File&& from) noexcept;
  File& operator=(File&&) = delete;
  ~File();

  std::string_view text() const { return {static_cast<const char*>(data_), size_}; }
  // Returns the memory of pages of a text that have been read to the system. They can be read again.
  static void forget(std::string_view text);

 private:
  File(void* data, std::size_t size) : data_(data), size_(size) {}

  void* data_;
  std::size_t size_;
};

}  // namespace emu::goal
