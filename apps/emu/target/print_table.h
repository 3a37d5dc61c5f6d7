// Tables of emu target, and the names of things in them.
#pragma once

#include <string>
#include <vector>

#include "prediction/uncalibrated.h"

namespace emu::app {

using Row = std::vector<std::string>;
// In columns, on standard output.
void print(const std::vector<Row>& rows);

std::string in_bytes_per_second(double rate);  // "12.5 GB/s"
std::string number(double value);
std::string range(int first, int last);
std::string ranges(const std::vector<int>& numbers);  // "2, 5-7" for numbers in ascending order

}  // namespace emu::app
