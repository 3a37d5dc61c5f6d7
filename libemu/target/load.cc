// Getting a target file's text. Apart from target.cc, which works on text only.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "target/target.h"

namespace emu::target {
namespace {

constexpr std::size_t most = std::size_t{1} << 20;  // bytes; far above any target file

// Closes its file descriptor.
struct File {
  int descriptor;
  ~File() {
    if (descriptor >= 0) ::close(descriptor);
  }
};

Result<std::string> contents(const std::string& path) {
  const auto failure = [&](const std::string& what) { return fail(path + ": " + what); };
  // Non-blocking: opening a pipe that nobody writes to must not hang.
  const File file{::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
  if (file.descriptor < 0)
    return failure("the target file cannot be opened: " + std::string(std::strerror(errno)));
  struct stat status;
  if (::fstat(file.descriptor, &status) != 0) return failure(std::strerror(errno));
  if (S_ISDIR(status.st_mode)) return failure("is a directory; name a target file in it");
  if (!S_ISREG(status.st_mode))
    return failure("is no regular file; a target is a TOML file that every rank can read");
  std::string text(most + 1, '\0');
  std::size_t length = 0;
  while (length < text.size()) {
    const ssize_t n = ::read(file.descriptor, text.data() + length, text.size() - length);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failure("cannot be read: " + std::string(std::strerror(errno)));
    if (n == 0) break;
    length += static_cast<std::size_t>(n);
  }
  if (length > most) return failure("is larger than 1 MiB; a target file is TOML text of some lines");
  text.resize(length);
  return text;
}

}  // namespace

Result<Target> load(const std::string& path) {
  const auto text = contents(path);
  if (!text) return tl::unexpected(text.error());
  return parse(*text, path);
}

}  // namespace emu::target
