// Text tables for users.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace emu::app {

class Table {
 public:
  enum class Align { left, right };
  struct Column {
    std::string title;
    Align align = Align::right;
    std::size_t width = 0;  // minimum; grows with the cells
    std::size_t gap = 1;    // blanks before the column
  };
  using Row = std::vector<std::string>;  // cells of the first columns

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void add(Row row) { rows_.push_back(std::move(row)); }
  // The line of titles, if any, and a line for each row, up to its last cell.
  std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

}  // namespace emu::app
