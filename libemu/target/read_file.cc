// Reading of a target file, apart from target.cc, which handles text only.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "target/target.h"

namespace emu::target {
namespace {

constexpr std::size_t most = std::size_t{1} << 20;  // bytes; far above any target file

// A file descriptor; the destructor closes it.
struct File {
  int descriptor;
  ~File() {
    if (descriptor >= 0) ::close(descriptor);
  }
};

// Messages call the file `what`, and require `kind` of text.
Result<std::string> contents(const std::string& path, const std::string& what, const std::string& kind) {
  const auto failure = [&](const std::string& message) { return fail(path + ": " + message); };
  // Non-blocking: opening a pipe without a writer must not hang.
  const File file{::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
  if (file.descriptor < 0) return failure(what + " cannot be opened: " + std::string(std::strerror(errno)));
  struct stat status;
  if (::fstat(file.descriptor, &status) != 0) return failure(std::strerror(errno));
  if (S_ISDIR(status.st_mode)) return failure("a directory (expected a file)");
  if (!S_ISREG(status.st_mode)) return failure("not a regular file (" + what + " is " + kind + ")");
  std::string text(most + 1, '\0');
  std::size_t length = 0;
  while (length < text.size()) {
    const ssize_t n = ::read(file.descriptor, text.data() + length, text.size() - length);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failure("cannot be read: " + std::string(std::strerror(errno)));
    if (n == 0) break;
    length += static_cast<std::size_t>(n);
  }
  if (length > most) return failure("larger than 1 MiB (" + what + " is " + kind + ")");
  text.resize(length);
  return text;
}

}  // namespace

Result<Target> load(const std::string& path, Sources* sources) {
  const auto text = contents(path, "the target file", "TOML text of some lines");
  if (!text) return tl::unexpected(text.error());
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  Sources read{*text, {}};
  auto target = parse(*text, path, [&](const std::string& name) {
    auto file = contents(folder / name, "a file of availabilities", "text of two columns");
    if (file) read.files[name] = *file;
    return file;
  });
  if (sources) *sources = std::move(read);
  return target;
}

}  // namespace emu::target
