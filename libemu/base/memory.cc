#include "base/memory.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace emu {
namespace {

// The beginning of a system file, terminated by zero.
using Text = std::array<char, 4096>;
Text begin_of(const char* path) {
  Text text{};
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return text;
  [[maybe_unused]] const ssize_t got = read(file, text.data(), text.size() - 1);
  close(file);
  return text;
}

// The number after `word` in /proc/meminfo or /proc/self/status, in KiB; -1 if the word is missing.
std::int64_t kibibytes(const Text& text, const char* word) {
  const char* const found = std::strstr(text.data(), word);
  return found ? std::strtoll(found + std::strlen(word), nullptr, 10) : -1;
}

}  // namespace

std::int64_t memory_left() {
  const std::int64_t left = kibibytes(begin_of("/proc/meminfo"), "MemAvailable:");
  return left < 0 ? std::numeric_limits<std::int64_t>::max() : left << 10;
}

void describe_memory(char* text, std::size_t size) {
  const Text own = begin_of("/proc/self/status"), machine = begin_of("/proc/meminfo");
  const auto mebibytes = [](const Text& of, const char* word) {
    return static_cast<long long>(kibibytes(of, word) >> 10);
  };
  rlimit limit{};
  char addresses[128] = "";
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    std::snprintf(addresses, sizeof addresses,
                  "%lld MiB of addresses, of %llu MiB that ulimit -v permits, and ",
                  mebibytes(own, "VmSize:"), static_cast<unsigned long long>(limit.rlim_cur >> 20));
  std::snprintf(text, size,
                "the command has %s%lld MiB of memory, and the machine %lld MiB, of which %lld MiB are left",
                addresses, mebibytes(own, "VmRSS:"), mebibytes(machine, "MemTotal:"),
                mebibytes(machine, "MemAvailable:"));
}

std::string memory_in_words() {
  char text[320];
  describe_memory(text, sizeof text);
  return text;
}

}  // namespace emu
