#include "oracle/oracle.h"

#include <fstream>
#include <iterator>
#include <sstream>

namespace emu::oracle {
namespace {

constexpr Interval us(std::int64_t n) { return Interval::picoseconds(n * 1'000'000); }

// The three sets differ only in the overhead, which is equal for sends and receives.
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

// The parameter in a program's name ("64K" bytes, or "t100" in microseconds) as the number in its file.
std::string parameter(const std::string& text) {
  constexpr std::int64_t units_per_microsecond = 1'000'000 / picoseconds_per_unit;
  if (text.front() == 't') return std::to_string(std::stoll(text.substr(1)) * units_per_microsecond);
  const std::int64_t unit = text.back() == 'K' ? 1 << 10 : text.back() == 'M' ? 1 << 20 : 1;
  return std::to_string(std::stoll(text) * unit);
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

std::string program_text(const Row& row, const std::string& folder) {
  const std::size_t bar = row.program.find('_');
  std::ifstream file(folder + "/programs/" + row.program.substr(0, bar) + ".goal");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (bar == std::string::npos) return text;
  const std::string number = parameter(row.program.substr(bar + 1)), place = "{N}";
  for (std::size_t at = 0; (at = text.find(place, at)) != std::string::npos; at += number.size())
    text.replace(at, place.size(), number);
  return text;
}

Result<goal::Schedule> load(const Row& row, const std::string& folder) {
  return goal::parse(program_text(row, folder), row.program);
}

}  // namespace emu::oracle
