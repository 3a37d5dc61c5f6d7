// Writes a rank's recording to its file, a block at a time: memory stays what it is however long the program runs.
#pragma once

#include <cstddef>
#include <string>

#include "skeleton/encode.h"

namespace emu::skeleton {

class Writer {
 public:
  // The reason why the file cannot be made; empty if it is.
  std::string open(const std::string& path);
  void number(std::uint64_t value) {
    put(buffer_, value);
    if (buffer_.size() >= block) flush();
  }
  void call(const Call& call) {
    put(buffer_, call);
    if (buffer_.size() >= block) flush();
  }
  void letters(const char* text) {
    const std::string word = text;
    put(buffer_, word.size());
    buffer_ += word;
  }
  void flush();
  // The reason why not all could be written, at any time; empty if it was.
  std::string close();

 private:
  static constexpr std::size_t block = 256 * 1024;

  int file_ = -1;
  int error_ = 0;
  std::string path_;
  std::string buffer_;
};

}  // namespace emu::skeleton
