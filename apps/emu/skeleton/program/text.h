// Skeleton as text that users can read and change. README.md has an example.
#pragma once

#include <string>
#include <string_view>

#include "base/failure.h"
#include "skeleton/program/skeleton.h"

namespace emu::skeleton {

inline constexpr std::string_view text_magic = "skeleton 1";

std::string to_text(const Skeleton& skeleton);
// `file` is its name in messages, which also contain the line. The result can be converted to a program.
Result<Skeleton> parse_text(std::string_view text, const std::string& file);

}  // namespace emu::skeleton
