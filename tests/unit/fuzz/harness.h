// Common parts of the fuzzing harnesses. Each reads one kind of file from whatever bytes it is
// given: it must be read or refused, and what was read must be sound. Under libFuzzer
// (scripts/fuzz) and in the test suite (replay.cc).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace emu::fuzz {

// Inputs that were no failure.
inline std::uint64_t accepted = 0;

inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: %s\n", what);
  std::abort();
}

// A failure says something, on lines that a terminal can show.
inline void require_message(const std::string& message) {
  require(!message.empty(), "a failure without a word");
  for (const char c : message)
    require(static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t',
            "a failure with a control character");
}

}  // namespace emu::fuzz
