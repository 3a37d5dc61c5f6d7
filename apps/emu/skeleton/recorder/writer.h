// Writes a rank's recording to its file, a block at a time: memory stays what it is however long the program runs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "skeleton/recording/encode.h"

namespace emu::skeleton {

class Writer {
 public:
  // The reason why the file cannot be made; empty if it is.
  std::string open(const std::string& path);
  void number(std::uint64_t value) {
    put(*this, value);
    if (size_ >= block) flush();
  }
  void call(const Call& call);
  void letters(const char* text);
  void flush();
  // The reason why not all could be written, at any time; empty if it was.
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
