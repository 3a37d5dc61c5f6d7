// Common parts of the fuzzing harnesses. Each harness reads one kind of file from arbitrary
// bytes: the reader must accept or refuse them, and accepted contents must be consistent.
// Harnesses run under libFuzzer (scripts/fuzz) and in the test suite (replay.cc).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace emu::fuzz {

// Number of inputs that the reader accepted.
inline std::uint64_t accepted = 0;

inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: %s\n", what);
  std::abort();
}

// A failure has a message of printable lines.
inline void require_message(const std::string& message) {
  require(!message.empty(), "a failure without a message");
  for (const char c : message)
    require(static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t',
            "a failure with a control character");
}

}  // namespace emu::fuzz
