#include "skeleton/recorder/writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "skeleton/recording/trace.h"

namespace emu::skeleton {

std::string Writer::open(const std::string& path) {
  path_ = path;
  file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file_ < 0) return path + ": cannot be written: " + std::strerror(errno);
  buffer_.resize(block + longest);
  for (const char c : trace_magic) push_back(c);
  return {};
}

void Writer::call(const Call& call) {
  std::string bytes;
  put(bytes, call);
  append(bytes);
}

void Writer::letters(const char* text) {
  const std::string word = text;
  number(word.size());
  append(word);
}

void Writer::append(const std::string& bytes) {
  for (const char c : bytes) {
    push_back(c);
    if (size_ >= block) flush();
  }
}

void Writer::flush() {
  for (std::size_t done = 0; done < size_ && error_ == 0;) {
    const ssize_t written = ::write(file_, buffer_.data() + done, size_ - done);
    if (written > 0) done += static_cast<std::size_t>(written);
    if (written < 0 && errno != EINTR) error_ = errno;
  }
  size_ = 0;
}

std::string Writer::close() {
  flush();
  if (::close(file_) != 0 && error_ == 0) error_ = errno;
  return error_ == 0 ? std::string() : path_ + ": cannot be written: " + std::strerror(error_);
}

}  // namespace emu::skeleton
