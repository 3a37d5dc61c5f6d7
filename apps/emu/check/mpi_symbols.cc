#include "check/mpi_symbols.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <unordered_map>

namespace emu::app {

namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

bool drop_suffix(std::string& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.erase(text.size() - suffix.size());
  return true;
}

// "mpi_send_f08ts_large_" -> "mpi_send_c"; "mpi_init_" -> "mpi_init".
std::string c_name_in_lower_case(std::string symbol) {
  while (drop_suffix(symbol, "_")) continue;
  const bool large = drop_suffix(symbol, "_large");
  if (!drop_suffix(symbol, "_f08ts")) drop_suffix(symbol, "_f08");
  return large ? symbol + "_c" : symbol;
}

// True for names with upper and lower case, as MPI_Send: only C has this spelling.
bool is_in_c(std::string_view symbol) {
  const auto has = [symbol](auto kind) {
    return std::any_of(symbol.begin(), symbol.end(), [kind](unsigned char c) { return kind(c) != 0; });
  };
  return has([](int c) { return std::isupper(c); }) && has([](int c) { return std::islower(c); });
}

const std::unordered_map<std::string, const Function*>& by_lower_name() {
  static const auto map = [] {
    std::unordered_map<std::string, const Function*> m;
    for (std::size_t i = 0; i < function_count; ++i) m.emplace(lower(functions[i].name), &functions[i]);
    return m;
  }();
  return map;
}

}  // namespace

bool is_profiling_name(std::string_view symbol) {
  return symbol.starts_with("PMPI_") || symbol.starts_with("PMPIX_");
}

const Function* function_of(std::string_view symbol) {
  // Fortran's names in the compilers' spellings: mpi_send_, mpi_send, mpi_send__ and MPI_SEND.
  const bool in_c = is_in_c(symbol);
  std::string name = lower(symbol);
  if (name.starts_with("pmpi")) name.erase(0, 1);
  if (!name.starts_with("mpi_") && !name.starts_with("mpix_")) return nullptr;
  if (!in_c) name = c_name_in_lower_case(name);
  const auto found = by_lower_name().find(name);
  if (found == by_lower_name().end()) return nullptr;
  if (in_c && symbol.substr(is_profiling_name(symbol)) != found->second->name) return nullptr;
  return found->second;
}

}  // namespace emu::app
