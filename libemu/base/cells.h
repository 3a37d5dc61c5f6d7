// Cells of a line of a table that a spreadsheet or a program wrote.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace emu {

// The text without the byte order mark that spreadsheets write at the beginning of UTF-8.
inline std::string_view without_mark(std::string_view text) {
  constexpr std::string_view mark = "\xef\xbb\xbf";
  return text.starts_with(mark) ? text.substr(mark.size()) : text;
}

// Separator of the cells of a table with these titles: a semicolon or a tab, if one comes before the first comma;
// otherwise a comma.
inline char separator(std::string_view titles) {
  const auto at = titles.find_first_of(",;\t");
  return at == std::string_view::npos ? ',' : titles[at];
}

// The cells of a line, without blanks and quotes around them. A quote in quotes is written twice.
inline std::vector<std::string> cells(std::string_view line, char between) {
  std::vector<std::string> result(1);
  bool quoted = false;
  const auto end_cell = [&] {
    std::string& cell = result.back();
    cell.erase(cell.find_last_not_of(" \t\r") + 1);
  };
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    std::string& cell = result.back();
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
      cell += line[++i];
    else if (c == '"')
      quoted = !quoted;
    else if (c == between && !quoted) {
      end_cell();
      result.emplace_back();
    } else if (!cell.empty() || (c != ' ' && c != '\t' && c != '\r'))
      cell += c;
  }
  end_cell();
  return result;
}

}  // namespace emu
