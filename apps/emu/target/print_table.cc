#include "target/print_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <sstream>

#include "common/table.h"

namespace emu::app {

void print(const std::vector<Row>& rows) {
  std::size_t columns = 0;
  for (const Row& row : rows) columns = std::max(columns, row.size());
  Table table(std::vector<Table::Column>(columns, {"", Table::Align::left, 0, 2}));
  for (const Row& row : rows) table.add(row);
  std::cout << table.text();
}

std::string in_bytes_per_second(double rate) {
  const char* const units[] = {" B/s", " kB/s", " MB/s", " GB/s", " TB/s"};
  int unit = 0;
  for (; unit < 4 && rate >= 1000; ++unit) rate /= 1000;
  return fmt::format("{:.3g}{}", rate, units[unit]);
}

std::string number(double value) {
  std::ostringstream text;
  text.precision(6);
  text << value;
  return text.str();
}

std::string range(int first, int last) {
  return first == last ? std::to_string(first) : std::to_string(first) + "-" + std::to_string(last);
}

std::string ranges(const std::vector<int>& numbers) {
  std::string list;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const int first = numbers[i];
    while (i + 1 < numbers.size() && numbers[i + 1] == numbers[i] + 1) ++i;
    list += (list.empty() ? "" : ", ") + range(first, numbers[i]);
  }
  return list;
}

}  // namespace emu::app
