// Writer of a rank's recording, block by block: memory does not grow with the length of the run.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "skeleton/recording/encode.h"

namespace emu::skeleton {

class Writer {
 public:
  // Returns the reason why the file cannot be created; empty on success.
  std::string open(const std::string& path);
  void number(std::uint64_t value) {
    put(*this, value);
    if (size_ >= block) flush();
  }
  void call(const Call& call);
  void letters(const char* text);
  void flush();
  // Returns the reason why not everything could be written, at any time; empty on success.
  std::string close();

  // For `put`; numbers leave room for it.
  void push_back(char c) { buffer_[size_++] = c; }

 private:
  static constexpr std::size_t block = 256 * 1024, longest = 16;  // bytes of a number

  void append(const std::string& bytes);

  int file_ = -1;
  int error_ = 0;
  std::string path_;
  std::size_t size_ = 0;
  std::vector<char> buffer_;
};

}  // namespace emu::skeleton
