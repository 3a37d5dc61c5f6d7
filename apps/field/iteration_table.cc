#include "iteration_table.h"

#include <fstream>
#include <ios>

namespace field {
namespace {

std::streamsize bytes(const std::vector<std::int64_t>& sums) {
  return static_cast<std::streamsize>(sums.size() * sizeof(std::int64_t));
}

}  // namespace

emu::Result<void> write_table(const std::vector<std::int64_t>& sums, const std::string& file) {
  std::ofstream out(file, std::ios::binary);
  out.write(reinterpret_cast<const char*>(sums.data()), bytes(sums));
  out.close();
  if (!out) return emu::fail("--table: " + file + " cannot be written");
  return {};
}

emu::Result<std::vector<std::int64_t>> read_table(const std::string& prefix, int size) {
  const std::string file = prefix + "-" + std::to_string(size);
  std::vector<std::int64_t> sums(static_cast<std::size_t>(size));
  std::ifstream in(file, std::ios::binary);
  in.read(reinterpret_cast<char*>(sums.data()), bytes(sums));
  if (!in)
    return emu::fail("--table: " + file + ": not a table of the iterations of " + std::to_string(size) +
                     " columns or rows");
  return sums;
}

}  // namespace field
