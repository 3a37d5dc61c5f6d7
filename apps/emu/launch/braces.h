// Names in braces, such as {P}, in the arguments and the environment of a program.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "launch/programs.h"

namespace emu::app {

// What names in braces stand for.
using Values = std::map<std::string, std::string>;

// `text` with each {NAME} of `values` replaced. {{NAME}} of any name becomes {NAME}. Values are not searched for names.
std::string with_values(const std::string& text, const Values& values);
std::vector<std::string> with_values(std::vector<std::string> words, const Values& values);
// The programs with their names and arguments replaced.
std::vector<Program> with_values(std::vector<Program> programs, const Values& values);

// The same with {P} replaced by the number of ranks of the job alone.
std::vector<Program> with_ranks(std::vector<Program> programs, int ranks);

// The names in braces in `text`, as often as they occur; {{NAME}} is none. A name has letters, digits and underscores, and
// begins with no digit.
std::vector<std::string> names_in_braces(const std::string& text);
bool is_name(const std::string& text);

// The variables of this process's environment in which one of `values` occurs, replaced.
std::map<std::string, std::string> environment_with_values(const Values& values);

}  // namespace emu::app
