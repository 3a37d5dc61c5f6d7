// Common start of all ranks: the target, this node's agent, and one starting instant.

#include <pthread.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "process/clocks.h"
#include "process/fork/fork_start.h"
#include "process/process.h"
#include "process/start/job.h"
#include "process/start/program_symbols.h"
#include "wire/agent/agent.h"

namespace emu::mpi {

using namespace std::chrono_literals;

namespace {

// Concatenates texts, each preceded by its length.
std::string concatenated(const std::vector<std::string>& parts) {
  std::string all;
  for (const std::string& part : parts) all += std::to_string(part.size()) + ' ' + part;
  return all;
}

std::vector<std::string> taken_apart(const std::string& all) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t blank = all.find(' ', at);
    const std::size_t size = std::stoul(all.substr(at, blank - at));
    parts.push_back(all.substr(blank + 1, size));
    at = blank + 1 + size;
  }
  return parts;
}

// Features of a program that affect all ranks, as bits.
constexpr std::uint32_t can_answer = 1;          // operations of others, without an overhead
constexpr std::uint32_t can_share_pointers = 2;  // of files
constexpr std::uint32_t can_cancel = 4;          // sends

std::uint32_t abilities(const Environment& environment) {
  std::uint32_t bits = 0;
  if (environment.one_sided || program_shares_pointers()) bits |= can_share_pointers | can_answer;
  if (program_makes_windows()) bits |= can_answer;
  if (environment.cancel_sends.value_or(program_cancels_sends())) bits |= can_cancel;
  return bits;
}

target::Target load(const std::string& path, int size, target::Sources& sources) {
  auto loaded = target::load(path, &sources);
  if (!loaded) {
    const bool name = path.find('/') == std::string::npos && !std::filesystem::exists(path);
    stop_job(
        loaded.error().message + (name ? "; EMU_TARGET is the path of a file, names are for emu run" : ""),
        2);
  }
  if (const auto fits = target::fits(*loaded, size, path); !fits) stop_job(fits.error().message, 2);
  return std::move(*loaded);
}

}  // namespace

// Forked ranks inherit the target. Otherwise rank 0 reads the target's files, which therefore need not exist on every
// node. Ranks may run different programs: the features of one of them apply to all.
void Process::agree(HostNode& node) {
  const auto stop = [this](const Failure& failure) {
    stop_before_start("rank " + std::to_string(self.number) + ": " + failure.message, 1);
  };
  std::vector<std::string> parts;
  ForkedRank* const forked = forked_rank();
  if (forked) {
    target = std::move(forked->target);
  } else if (self.number == 0) {
    target::Sources sources;
    target = load(environment.target, self.size, sources);
    parts = {sources.text};
    for (const auto& [name, content] : sources.files) parts.insert(parts.end(), {name, content});
  }
  const auto all = collect(node, self.number, abilities(environment));
  if (!all) stop(all.error());
  parts.push_back(std::to_string(*all));
  const auto known = tell_all(node, self.number, concatenated(parts));
  if (!known) stop(known.error());
  if (self.number != 0) parts = taken_apart(*known);
  const auto agreed = static_cast<std::uint32_t>(std::stoul(parts.back()));
  uses.cancels_sends = agreed & can_cancel;
  uses.shares_pointers = agreed & can_share_pointers;
  uses.one_sided = agreed & can_answer;
  if (forked || self.number == 0) return;
  target::Sources sources;
  sources.text = parts.front();
  for (std::size_t i = 1; i + 1 < parts.size(); i += 2) sources.files[parts[i]] = parts[i + 1];
  auto parsed = target::parse(sources, environment.target);
  if (!parsed) stop_job(parsed.error().message, 2);
  target = std::move(*parsed);
}

// With several nodes: starts this node's agent, if this process runs it.
void Process::start_agent(HostNode& node) {
  transport.wire->wakes_agent_by(node.agent_wakes_out);
  if (!node.first) return;
  const auto stop = [](const std::string& message) { stop_job(message, 1); };
  transport.agent = std::make_unique<wire::Agent>(transport.wire->region(), transport.wire->node_map(),
                                                  *network, std::move(node.peers), node.agent_wakes_in, stop);
  // Signals are for the program's own threads.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  transport.agent_thread = std::thread([this] { transport.agent->run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// Two ranks, the first and the last, watch each node, because the lost rank may be one of them. A process manager that
// has started all ranks of a job ends the others when one ends unexpectedly; if several helpers of a manager have
// started them, each may end only its own ranks. The manager knows better how to end the job: it has a second for that.
void Process::start_watch() {
  if (environment.local_ranks == self.size || forked_rank()) return;
  const wire::NodeMap& map = transport.wire->node_map();
  const int slot = map.slot_of(self.number), last = map.local_slots() - 1;
  if (last == 0 || (slot != 0 && slot != last)) return;
  const auto lost = [this](int rank) {
    if (transport.wire->job_ends()) end_job(1);
    stop_job("rank " + std::to_string(rank) + " has ended without MPI_Finalize", 1);
  };
  transport.watch.emplace(500ms, 1s, [this, lost]() -> std::function<void()> {
    const auto rank = transport.wire->lost_rank();
    if (!rank) return {};
    return [lost, rank] { lost(*rank); };
  });
}

// Rank 0 reads the clocks when all ranks are present; ranks of other nodes wait for the values.
void Process::start_together() {
  const auto check = [this](const auto& result) {
    if (!result) stop_job("rank " + std::to_string(self.number) + ": " + result.error().message, 1);
  };
  const bool several = transport.wire->node_map().several();
  const std::string key = "libemu-clocks";
  const auto spread = [&] {
    check(manager().barrier());
    if (self.number == 0) {
      wire::ClockReadings readings{};
      read_host_clocks(readings);
      std::string text;
      for (const std::int64_t reading : readings) text += (text.empty() ? "" : ",") + std::to_string(reading);
      check(manager().put(key, text));
    }
    check(manager().barrier());
  };
  if (several && !forked_rank()) spread();
  transport.wire->start_together([&](wire::ClockReadings& readings) {
    if (!several) return read_host_clocks(readings);
    if (forked_rank()) spread();
    const auto text = manager().get(key);
    check(text);
    std::istringstream in(text->value_or(""));
    for (std::int64_t& reading : readings) {
      in >> reading;
      in.ignore();
    }
  });
}

}  // namespace emu::mpi
