#include "risk.h"

#include <mpi.h>

#include <array>
#include <fstream>
#include <set>

#include "base/number.h"
#include "command_line/command_line.h"

namespace reduce {
namespace {

using emu::Result;
using Name = std::array<char, MPI_MAX_PROCESSOR_NAME>;

std::vector<std::string> nodes_of_ranks(int ranks) {
  Name mine{};
  int length = 0;
  MPI_Get_processor_name(mine.data(), &length);
  std::vector<Name> all(static_cast<std::size_t>(ranks));
  MPI_Allgather(mine.data(), MPI_MAX_PROCESSOR_NAME, MPI_CHAR, all.data(), MPI_MAX_PROCESSOR_NAME, MPI_CHAR,
                MPI_COMM_WORLD);
  std::vector<std::string> names;
  names.reserve(all.size());
  for (const Name& name : all) names.emplace_back(name.data());
  return names;
}

Result<std::vector<int>> by_history(const std::string& file, int ranks) {
  const std::vector<std::string> nodes = nodes_of_ranks(ranks);
  std::ifstream in(file);
  if (!in) return emu::fail("--risk " + file + ": cannot be read; it is neither ranks nor a file");
  std::set<std::string> failed;
  for (std::string line; std::getline(in, line);) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == line.npos || line[begin] == '#') continue;
    failed.insert(line.substr(begin, line.find_first_of(" \t\r#", begin) - begin));
  }
  std::vector<int> risky;
  for (int rank = 0; rank < ranks; ++rank)
    if (failed.contains(nodes[static_cast<std::size_t>(rank)])) risky.push_back(rank);
  return risky;
}

}  // namespace

Result<std::vector<int>> ranks_at_risk(const std::string& text, int ranks) {
  std::vector<int> risky;
  if (text.find_first_not_of("0123456789,-+") != text.npos) return by_history(text, ranks);
  for (const std::string& part : command_line::parts(text)) {
    const auto rank = emu::read_number<std::int32_t>(part);
    if (!rank || *rank < 0 || *rank >= ranks)
      return command_line::wrong("risk", text,
                                 "ranks from 0 to " + std::to_string(ranks - 1) + ", with commas between");
    risky.push_back(*rank);
  }
  return risky;
}

}  // namespace reduce
