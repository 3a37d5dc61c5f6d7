// Names in braces, such as {P}, in the arguments and the environment of a program.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "program/programs.h"

namespace emu::app {

// Values of names in braces.
using Values = std::map<std::string, std::string>;

// Replaces each {NAME} of `values` in `text`. {{NAME}} becomes {NAME}, for any name. Names in values are not replaced.
std::string with_values(const std::string& text, const Values& values);
std::vector<std::string> with_values(std::vector<std::string> words, const Values& values);
// Replaces names and arguments of the programs.
std::vector<Program> with_values(std::vector<Program> programs, const Values& values);

// Replaces {P} by the number of ranks of the job, and nothing else.
std::vector<Program> with_ranks(std::vector<Program> programs, int ranks);

// The names in braces in `text`, with repetitions; {{NAME}} does not count. A
// name has letters, digits and underscores, and does not begin with a digit.
std::vector<std::string> names_in_braces(const std::string& text);
bool is_name(const std::string& text);

// The variables of this process's environment that contain one of `values`, after replacement.
std::map<std::string, std::string> environment_with_values(const Values& values);

}  // namespace emu::app
