// A valid target file with one change, and the expected message.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "target/target.h"

namespace emu::target {

// Tests depend on line numbers, counted from the line of "name".
inline const std::string good = R"(name = "test"
compute = "declared"
host_speed = 2.5
[network]
latency = "50us"
gap = "1us"
gap_per_byte = "0.0268us"
eager_limit = "64KiB"
card = "serial"
[network.send]
fixed = "12.1us"
per_process = "0.182us"
per_byte = "0.0708us"
[network.receive]
fixed = "12.2us"
per_process = "0.183us"
per_byte = "0.0722us"
[network.poll]
fixed = "2us"
[[node]]
count = 3
slots = 2
speed = 0.5
[[node]]
count = 64
)";

inline std::string replaced(const std::string& what, const std::string& by) {
  std::string text = good;
  const auto at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

// `good` without the first line that starts with `key`.
inline std::string without(const std::string& key) {
  std::string text = good;
  const auto at = key == "name" ? 0 : text.find("\n" + key + " ") + 1;
  return text.erase(at, text.find('\n', at) + 1 - at);
}

inline std::string error_of(const std::string& text) {
  const auto target = parse(text, "x.toml");
  EXPECT_FALSE(target) << "expected an error";
  return target ? "" : target.error().message;
}

// The message starts with `part`; if `part` ends in "...", anything may follow, else nothing.
inline void expect_error(const std::string& text, std::string part) {
  const std::string message = error_of(text);
  if (part.ends_with("...")) {
    part.erase(part.size() - 3);
    EXPECT_EQ(message.substr(0, part.size()), part);
    EXPECT_EQ(message.find('\n'), std::string::npos) << "one mistake, one line: " << message;
  } else {
    EXPECT_EQ(message, part);
  }
}

}  // namespace emu::target
