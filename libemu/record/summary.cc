// The record is text, one line per rank, so that any tool can read it:
//
//   emu-summary VERSION
//   target NAME
//   ranks N
//   FINISH COMPUTE SEND RECEIVE POLL HANDSHAKE WAIT DOWN MESSAGES BYTES PATH RESOURCE AT DOUBTS FAILED     N lines in order of rank
//   resource NUMBER BYTES MESSAGES BUSY LONGEST MOST_BY STRETCH N LOAD NAME     for each one that carried anything
//   end
//
// VERSION: a number that also changes with the list of causes. Intervals are in picoseconds. PATH: the path's causes,
// then its weights, in the order of record/path.h; weights may have a fraction. LOAD: N intervals. RESOURCE, AT:
// Path::resource plus 1, Path::at_resource. DOUBTS: in the order of record/doubts.h. FAILED: 1 or 0.
//
// The last line distinguishes a complete record from one whose writer died.
#include "record/summary.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>

namespace emu::record {
namespace {

constexpr int numbers = 13 + causes.size() + weights.size() + doubts.size();  // of a rank
// A function, not an object: a record may be written after the destruction of the program's static objects.
std::string first_line() { return "emu-summary " + std::to_string(with_causes(13)); }

std::string line_of(const RankSummary& rank) {
  const Breakdown& time = rank.time;
  std::ostringstream line;
  line << rank.finish.picoseconds();
  for (Interval part : {time.compute, time.send_overhead, time.receive_overhead, time.poll, time.handshake,
                        time.wait, time.down})
    line << ' ' << part.picoseconds();
  line << ' ' << rank.messages_sent << ' ' << rank.bytes_sent;
  for (const Cause& cause : causes) line << ' ' << (rank.path.*cause.part).picoseconds();
  line.precision(std::numeric_limits<double>::max_digits10);
  for (const auto weight : weights) line << ' ' << rank.path.*weight;
  line << ' ' << rank.path.resource + 1 << ' ' << rank.path.at_resource.picoseconds();
  for (const auto doubt : doubts) line << ' ' << rank.doubts.*doubt;
  line << ' ' << (rank.failed ? 1 : 0);
  return line.str();
}

bool parse_line(const std::string& line, RankSummary& rank) {
  std::istringstream in(line);
  std::int64_t values[10 + causes.size()], resource = 0, at_resource = 0, failed = 0;
  const auto number = [&](auto& value) { return in >> value && value >= 0; };
  if (!std::all_of(std::begin(values), std::end(values), number)) return false;
  for (const auto weight : weights)
    if (!number(rank.path.*weight)) return false;
  if (!number(resource) || !number(at_resource)) return false;
  rank.path.resource = static_cast<std::int32_t>(resource - 1);
  rank.path.at_resource = Interval::picoseconds(at_resource);
  for (const auto doubt : doubts)
    if (!number(rank.doubts.*doubt)) return false;
  if (!number(failed) || !(in >> std::ws).eof()) return false;
  const auto interval = [&](int i) { return Interval::picoseconds(values[i]); };
  rank.finish = Instant::from_picoseconds(values[0]);
  rank.time = {interval(1), interval(2), interval(3), interval(4), interval(5), interval(6), interval(7)};
  rank.messages_sent = values[8];
  rank.bytes_sent = values[9];
  int i = 10;
  for (const Cause& cause : causes) rank.path.*cause.part = interval(i++);
  rank.failed = failed != 0;
  return true;
}

bool parse_resource(const std::string& line, ResourceUse& use) {
  std::istringstream in(line);
  std::int64_t busy = 0, stretch = 0, ps = 0;
  std::size_t stretches = 0;
  in >> use.number >> use.bytes >> use.messages >> busy >> use.longest >> use.most_by >> stretch >> stretches;
  use.busy = Interval::picoseconds(busy);
  use.stretch = Interval::picoseconds(stretch);
  for (std::size_t i = 0; i < stretches && in >> ps; ++i) use.load.push_back(Interval::picoseconds(ps));
  in >> std::ws;
  return std::getline(in, use.name) && use.number >= 0 && use.bytes >= 0 && use.messages >= 0 && busy >= 0;
}

// Removes `word` and the blank from the front of `line`.
bool take_word(std::string& line, const std::string& word) {
  if (line.compare(0, word.size() + 1, word + " ") != 0) return false;
  line.erase(0, word.size() + 1);
  return true;
}

}  // namespace

Instant RunSummary::predicted() const {
  Instant latest = Instant::start();
  const bool all = std::all_of(ranks.begin(), ranks.end(), [](const RankSummary& r) { return r.failed; });
  for (const RankSummary& rank : ranks)
    if (all || !rank.failed) latest = std::max(latest, rank.finish);
  return latest;
}

bool RunSummary::computes() const {
  return std::any_of(ranks.begin(), ranks.end(),
                     [](const RankSummary& r) { return r.time.compute > Interval(); });
}

int RunSummary::last() const {
  const bool all = std::all_of(ranks.begin(), ranks.end(), [](const RankSummary& r) { return r.failed; });
  int last = -1;
  for (std::size_t i = 0; i < ranks.size(); ++i)
    if ((all || !ranks[i].failed) &&
        (last < 0 || ranks[i].finish > ranks[static_cast<std::size_t>(last)].finish))
      last = static_cast<int>(i);
  return last;
}

Result<void> write(const RunSummary& run, const std::string& path) {
  if (run.target.find_first_of("\r\n") != std::string::npos)
    return fail(path + ": the target's name has a line break: \"" + run.target + "\"");
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  if (!out) return fail(path + ": the record of the run cannot be written: " + std::strerror(errno));
  out << first_line() << "\ntarget " << run.target << "\nranks " << run.ranks.size() << '\n';
  for (const RankSummary& rank : run.ranks) out << line_of(rank) << '\n';
  for (const ResourceUse& use : run.resources) {
    out << "resource " << use.number << ' ' << use.bytes << ' ' << use.messages << ' '
        << use.busy.picoseconds() << ' ' << use.longest << ' ' << use.most_by << ' '
        << use.stretch.picoseconds() << ' ' << use.load.size();
    for (const Interval busy : use.load) out << ' ' << busy.picoseconds();
    out << ' ' << use.name << '\n';
  }
  out << "end\n";
  out.close();
  if (!out) return fail(path + ": the record of the run cannot be written: " + std::strerror(errno));
  return {};
}

Result<RunSummary> read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return fail(path + ": the record of the run cannot be read: " + std::strerror(errno));
  int number = 0;
  std::string line;
  const auto next = [&] {
    ++number;
    return static_cast<bool>(std::getline(in, line));
  };
  const auto damaged = [&](const std::string& expected) {
    return fail(path + ":" + std::to_string(number) +
                ": the record of the run is damaged or cut off; expected " + expected);
  };
  RunSummary run;
  if (!next() || line != first_line()) return damaged("\"" + first_line() + "\"");
  if (!next() || !take_word(line, "target")) return damaged("\"target NAME\"");
  run.target = line;
  if (!next() || !take_word(line, "ranks")) return damaged("\"ranks N\"");
  if (line.empty() || line.size() > 7 || line.find_first_not_of("0123456789") != std::string::npos)
    return damaged("a number of ranks");
  const int ranks = std::stoi(line);
  for (int i = 0; i < ranks; ++i) {
    RankSummary rank;
    if (!next() || !parse_line(line, rank))
      return damaged(std::to_string(numbers) + " numbers, not negative");
    run.ranks.push_back(rank);
  }
  while (next() && take_word(line, "resource")) {
    ResourceUse use;
    if (!parse_resource(line, use)) return damaged("the use of a resource");
    run.resources.push_back(std::move(use));
  }
  if (line != "end") return damaged("\"end\"");
  return run;
}

}  // namespace emu::record
