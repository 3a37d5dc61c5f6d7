#include "plan/pilot.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "launch/run_once.h"

namespace emu::app::capacity {
namespace {

// CPU time of all child processes that have ended.
double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// The parent of each process, except those that end at this moment.
std::map<int, int> parents() {
  std::map<int, int> result;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const int pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 0) continue;
    std::ifstream file(entry.path() / "stat");
    std::string line;
    std::getline(file, line);
    const auto name_end = line.rfind(") ");
    if (name_end == std::string::npos) continue;
    std::istringstream rest(line.substr(name_end + 2));
    char state = 0;
    int parent = 0;
    if (rest >> state >> parent) result[pid] = parent;
  }
  return result;
}

// Memory of process `pid` in bytes, with its share of common pages.
double proportional_bytes(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/smaps_rollup");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("Pss:", 0) == 0) return std::atof(line.c_str() + 4) * 1024;
  return 0;
}

double bytes_of_descendants() {
  const std::map<int, int> all = parents();
  std::set<int> ours{getpid()};
  for (bool grown = true; grown;) {
    grown = false;
    for (const auto& [pid, parent] : all)
      if (ours.count(parent) && ours.insert(pid).second) grown = true;
  }
  double sum = 0;
  for (int pid : ours)
    if (pid != getpid()) sum += proportional_bytes(pid);
  return sum;
}

}  // namespace

Result<Measured> measure(const PreparedRun& plan, const TemporaryFolder& folder) {
  Measured m;
  const double before = cpu_seconds();
  RunOutcome outcome = run_once(plan, folder, "pilot with " + std::to_string(plan.ranks) + " ranks",
                                [&] { m.sample.bytes = std::max(m.sample.bytes, bytes_of_descendants()); });
  m.interrupted = outcome.interrupted;
  if (m.interrupted) return m;
  if (!outcome.run)
    return fail("the pilot with " + std::to_string(plan.ranks) + " ranks: " + outcome.failure);
  m.sample.ranks = plan.ranks;
  m.sample.cpu_seconds = cpu_seconds() - before;
  for (const record::RankSummary& rank : outcome.run->ranks)
    m.sample.messages += static_cast<double>(rank.messages_sent);
  if (m.sample.bytes <= 0)
    return fail("the pilot with " + std::to_string(plan.ranks) +
                " ranks was over before its memory could be looked at; give it more to do");
  return m;
}

}  // namespace emu::app::capacity
