#include "common/table.h"

#include <fmt/format.h>

#include <algorithm>

namespace emu::app {

std::string Table::text() const {
  Row titles;
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) {
    titles.push_back(column.title);
    widths.push_back(column.width);
  }
  std::vector<Row> lines = rows_;
  const auto empty = [](const std::string& title) { return title.empty(); };
  if (!std::all_of(titles.begin(), titles.end(), empty)) lines.insert(lines.begin(), titles);
  for (const Row& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  std::string text;
  for (const Row& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      text.append(columns_[i].gap, ' ');
      if (columns_[i].align == Align::right)
        text += fmt::format("{:>{}}", line[i], widths[i]);
      else
        text += fmt::format("{:<{}}", line[i], i + 1 < line.size() ? widths[i] : 0);
    }
    text += '\n';
  }
  return text;
}

}  // namespace emu::app
