#include "process/start/outsiders.h"

#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/number.h"
#include "base/ranks.h"
#include "process/process.h"

namespace emu::mpi {

namespace {

namespace fs = std::filesystem;

struct RankProcess {
  pid_t parent = 0;
  std::string name;
  std::optional<int> rank;  // PMI_RANK, which processes that a rank starts inherit
  bool ended = false;       // its parent has not noticed yet
};

// The process that made the socket pair; 0: unknown.
pid_t peer_of(int connection) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? peer.pid : 0;
}

std::vector<pid_t> children_of(pid_t process) {
  std::vector<pid_t> all;
  std::error_code gone;
  const std::string tasks = "/proc/" + std::to_string(process) + "/task";
  for (fs::directory_iterator task(tasks, gone), end; !gone && task != end; task.increment(gone)) {
    std::ifstream in(task->path() / "children");
    for (pid_t child = 0; in >> child;) all.push_back(child);
  }
  return all;
}

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Nothing for a process that has just ended.
std::optional<RankProcess> read_process(const fs::path& folder) {
  const std::string stat = text_of(folder / "stat");  // NUMBER (NAME) STATE PARENT ...
  const std::size_t begin = stat.find('('), end = stat.rfind(')');
  if (begin == std::string::npos || end == std::string::npos || end + 4 > stat.size()) return {};
  RankProcess process;
  process.name = stat.substr(begin + 1, end - begin - 1);
  process.ended = stat[end + 2] == 'Z';
  process.parent = read_number(stat.substr(end + 4, stat.find(' ', end + 4) - end - 4), 0).value_or(0);
  const std::string environment = '\0' + text_of(folder / "environ");
  constexpr std::string_view key("\0PMI_RANK=", 10);
  if (const std::size_t at = environment.find(key); at != std::string::npos)
    process.rank = read_number(environment.c_str() + at + key.size(), 0);
  return process;
}

std::map<pid_t, RankProcess> read_processes() {
  std::map<pid_t, RankProcess> all;
  std::error_code error;
  for (fs::directory_iterator folder("/proc", error), end; !error && folder != end; folder.increment(error))
    if (const auto number = read_number(folder->path().filename().string(), 1))
      if (auto process = read_process(folder->path())) all.emplace(*number, std::move(*process));
  return all;
}

// True if another process of the helper's kind has started the process. A rank that has gone to the background has no
// helper among its ancestors.
bool of_other_job(pid_t process, const std::map<pid_t, RankProcess>& all, pid_t helper) {
  const std::string& kind = all.at(helper).name;
  for (auto at = all.find(process); at != all.end(); at = all.find(at->second.parent)) {
    if (at->first == helper) return false;
    if (at->second.name == kind) return true;
  }
  return false;
}

// The numbers among `ranks` that no process of this machine has any more; none if the processes do not show it with
// certainty. `helper`: the process that has started these ranks.
std::vector<int> ended_ranks(pid_t helper, const std::vector<int>& ranks) {
  // The helper has started all of its ranks before it answers the first of them.
  const std::vector<pid_t> children = children_of(helper);
  if (children.empty() || children.size() >= ranks.size()) return {};
  const std::map<pid_t, RankProcess> all = read_processes();
  if (!all.contains(helper)) return {};
  for (const pid_t child : children)  // one that is about to become a rank's program, or that cannot be read
    if (const auto at = all.find(child); at == all.end() || !at->second.rank) return {};
  std::set<int> present;
  for (const auto& [number, process] : all)
    if (process.rank && !of_other_job(number, all, helper)) present.insert(*process.rank);
  std::vector<int> ended;
  std::copy_if(ranks.begin(), ranks.end(), std::back_inserter(ended),
               [&](int rank) { return !present.contains(rank); });
  return ended;
}

// The number in the command line of a helper, or of the remote shell that has started it.
std::optional<int> helper_number(pid_t process) {
  const std::string command = text_of("/proc/" + std::to_string(process) + "/cmdline");
  constexpr std::string_view key("--proxy-id\0", 11);
  const std::size_t at = command.find(key);
  return at == std::string::npos ? std::nullopt : read_number(command.c_str() + at + key.size(), 0);
}

// The ranks whose helpers have ended; none if the processes do not show it with certainty. The manager, if it has
// started `helper` on this machine, is the parent of all helpers, and of the ended ones until the job ends.
std::vector<int> ranks_of_ended_helpers(pid_t helper, const std::vector<int>& helper_of) {
  const auto process = read_process("/proc/" + std::to_string(helper));
  if (!process) return {};
  const std::vector<pid_t> all = children_of(process->parent);
  const int count = *std::max_element(helper_of.begin(), helper_of.end()) + 1;
  if (std::ssize(all) != count) return {};
  std::set<int> present;
  for (const pid_t child : all) {
    const auto started = read_process("/proc/" + std::to_string(child));
    if (started && started->ended) continue;
    const auto number = helper_number(child);
    if (!number) return {};
    present.insert(*number);
  }
  std::vector<int> ended;
  for (int rank = 0; rank < std::ssize(helper_of); ++rank)
    if (!present.contains(helper_of[static_cast<std::size_t>(rank)])) ended.push_back(rank);
  return ended;
}

}  // namespace

Watch::Check outsiders_check(int connection, std::vector<int> helper_of, int own) {
  std::vector<int> all(helper_of.size()), local;
  std::iota(all.begin(), all.end(), 0);
  const auto helper_of_rank = [&](int rank) { return helper_of[static_cast<std::size_t>(rank)]; };
  std::copy_if(all.begin(), all.end(), std::back_inserter(local),
               [&](int rank) { return helper_of_rank(rank) == helper_of_rank(own); });
  return [=, helper_of = std::move(helper_of)]() -> std::function<void()> {
    const pid_t helper = peer_of(connection);
    if (helper == 0) return {};
    if (auto ended = ended_ranks(helper, local); !ended.empty()) return [=] { stop_for(ended, local, own); };
    if (auto ended = ranks_of_ended_helpers(helper, helper_of); !ended.empty())
      return [=] { stop_for(ended, all, own); };
    return {};
  };
}

std::string never_come(const std::vector<int>& ended, int waiting) {
  return in_words(ended) + " ended without MPI_Init, and rank " + std::to_string(waiting) + " waits for " +
         (ended.size() == 1 ? "it" : "them") + " there";
}

void stop_for(const std::vector<int>& ended, const std::vector<int>& ranks, int own) {
  const auto first = std::mismatch(ranks.begin(), ranks.end(), ended.begin(), ended.end()).first;
  if (first == ranks.end() || *first != own) sleep(10);
  stop_job(never_come(ended, own), 1);
}

}  // namespace emu::mpi
