// Tables for people.
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
    std::size_t width = 0;  // at least; wider if a cell is
    std::size_t gap = 1;    // blanks before it
  };
  using Row = std::vector<std::string>;  // the first columns' cells

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void add(Row row) { rows_.push_back(std::move(row)); }
  // The line of titles, unless there are none, and a line for each row, which ends with its last cell.
  std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

}  // namespace emu::app
