// Words of a target file in messages about mistakes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace emu::target {

std::string in_quotes(std::string_view text);
// "a", "b" and "c". `last`: the text before the last word, such as " and ".
std::string listed(const std::vector<std::string_view>& words, const char* last);
// The known word for which `word` was probably meant; empty if none is similar.
std::string_view nearest(std::string_view word, const std::vector<std::string_view>& known);

}  // namespace emu::target
