#include "skeleton/recorder/writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace emu::skeleton {

std::string Writer::open(const std::string& path) {
  path_ = path;
  file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file_ < 0) return path + ": cannot be written: " + std::strerror(errno);
  buffer_.reserve(block + 4096);
  buffer_ = "emuskel1";
  return {};
}

void Writer::flush() {
  for (std::size_t done = 0; done < buffer_.size() && error_ == 0;) {
    const ssize_t written = ::write(file_, buffer_.data() + done, buffer_.size() - done);
    if (written > 0) done += static_cast<std::size_t>(written);
    if (written < 0 && errno != EINTR) error_ = errno;
  }
  buffer_.clear();
}

std::string Writer::close() {
  flush();
  if (::close(file_) != 0 && error_ == 0) error_ = errno;
  return error_ == 0 ? std::string() : path_ + ": cannot be written: " + std::strerror(error_);
}

}  // namespace emu::skeleton
