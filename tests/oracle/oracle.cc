#include "oracle/oracle.h"

#include <fstream>
#include <sstream>

namespace emu::oracle {
namespace {

constexpr Interval us(std::int64_t n) { return Interval::picoseconds(n * 1'000'000); }

// The three sets differ in the overhead only, which is the same for sends and receives.
bool overhead(const std::string& set, model::Overhead& o) {
  if (set == "P1") {
    o = {.fixed = Interval::picoseconds(12'930'000), .per_byte = Rate::femtoseconds_per_byte(70'000'000)};
  } else if (set == "P2") {
    o = {.fixed = us(13), .per_byte = Rate::femtoseconds_per_byte(70'000'000)};
  } else if (set == "MSE") {
    o = {.fixed = Interval::picoseconds(12'100'000),
         .per_process = Interval::picoseconds(182'000),
         .per_byte = Rate::femtoseconds_per_byte(70'800'000)};
  } else {
    return false;
  }
  return true;
}

}  // namespace

Result<std::vector<Row>> read(const std::string& folder) {
  const std::string path = folder + "/finish_times.csv";
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return fail(path + ": cannot be read, or is empty");
  std::vector<Row> rows;
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    Row row;
    std::string ranks, finish;
    std::getline(fields, row.program, ',');
    std::getline(fields, row.threshold, ',');
    std::getline(fields, row.parameters, ',');
    std::getline(fields, ranks, ',');
    std::getline(fields, finish, ',');
    std::istringstream times(finish);
    for (std::int64_t t; times >> t;) row.finish.push_back(t);
    if (row.finish.empty() || std::to_string(row.ranks()) != ranks) {
      return fail(path + ": expected as many finish times as ranks, got: " + line);
    }
    rows.push_back(row);
  }
  if (rows.empty()) return fail(path + ": expected a line for each program");
  return rows;
}

Result<model::Parameters> parameters(const Row& row) {
  model::Parameters p;
  p.latency = us(50);
  p.gap_per_byte = Rate::femtoseconds_per_byte(26'800'000);
  p.always_eager = row.threshold == "inf";
  if (!p.always_eager) p.eager_limit = std::stoll(row.threshold);
  p.poll = us(1);
  if (!overhead(row.parameters, p.send)) return fail(row.name() + ": this set of parameters is not known");
  p.receive = p.send;
  return p;
}

std::string program_path(const Row& row, const std::string& folder) {
  return folder + "/programs/" + row.program + ".goal";
}

Result<goal::Schedule> load(const Row& row, const std::string& folder) {
  return goal::load(program_path(row, folder));
}

}  // namespace emu::oracle
