// Player of random programs on ranks that are threads of one process, without MPI, over the wire that otherwise
// connects processes. So a tool that observes the threads of one process (ThreadSanitizer) sees the whole wire.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "rank/rank.h"
#include "reference/compare/chain.h"
#include "reference/simulator/script.h"
#include "target/target.h"

namespace emu::reference {

// The part of one rank, used only by its thread.
class ThreadPlayer {
 public:
  // Plays the part of `rank`. `nodes`: of all ranks. Both references outlive the player.
  ThreadPlayer(rank::Rank& rank, const std::vector<int>& nodes);
  // Appends the result of each operation to `log`.
  void play(const Program& program, std::vector<Outcome>& log);
  const std::vector<std::string>& wrong() const { return wrong_; }  // wrong contents

 private:
  // A collective in the background, with its buffers.
  struct Running {
    model::Schedule schedule;
    std::vector<std::byte> input, output;
    std::unique_ptr<rank::Background> background;
  };
  struct Pending {
    rank::Request* request = nullptr;
    bool receive = false;
    int parts_left = 0;                        // for a partitioned send
    std::unique_ptr<rank::Deferred> deferred;  // for a partitioned send
    Operation operation;                       // that began it
    std::unique_ptr<Running> running;          // a collective in the background
    int tag = -1;                              // of its messages
    std::unique_ptr<rank::Exchange> exchange;  // a send and a receive with one request
    std::vector<char> data, sent;
  };

  rank::Communicator& communicator(const Operation& o) {
    return o.communicator == newest ? communicators_.back()
                                    : communicators_[static_cast<std::size_t>(o.communicator)];
  }
  // True unless the operation failed because another rank has failed.
  bool went_well(int failed);
  std::int64_t acknowledged(const rank::Communicator& comm) const;
  void meet(const Operation& o);
  Pending& pending(int slot) { return pending_[static_cast<std::size_t>(slot)]; }
  void operate(const Operation& o);
  void send(const Operation& o);
  void receive(const Operation& o, int from, int tag);
  void send_receive(const Operation& o);
  void start_send(const Operation& o);
  void start_receive(const Operation& o);
  void start_send_receive(const Operation& o);
  void probe(const Operation& o);
  void start_parts(const Operation& o);
  void ready(const Operation& o);
  void receive_parts(const Operation& o);
  void arrived(const Operation& o);
  void cancel(const Operation& o);
  void release(const Operation& o);
  rank::Communicator aside(const Operation& o, int peer, int tag, bool sends);
  void complete(const Operation& o);
  bool complete_once(const Operation& o, const std::vector<rank::Request*>& requests);
  void retire(int slot);
  Completion received(const std::vector<char>& data, const rank::Status& status);
  std::vector<Scheduled> schedules_of(const Operation& o);
  void collective(const Operation& o);
  bool exchange(rank::Communicator there, int tag, const model::Schedule& schedule, bool owes, bool& told);
  void exchange_edges(const rank::Communicator& comm);
  bool hear_edges(const rank::Communicator& comm, bool into);
  void start_collective(const Operation& o, std::size_t room);
  void receive_found(const Operation& o, match::Message* message);

  rank::Rank& rank_;
  const std::vector<int>& nodes_;
  std::deque<rank::Communicator> communicators_;  // at fixed addresses, to which requests point
  std::map<std::tuple<int, int, int, bool>, std::uint32_t>
      partitioned_;            // number created, by communicator, peer, tag
  std::map<int, int> makers_;  // number of operations that make communicators, by communicator
  const Program* program_ = nullptr;
  std::vector<Pending> pending_;             // by slot
  std::vector<std::vector<char>> released_;  // memory of messages whose requests were freed
  std::vector<match::Message*> found_;       // by slot: messages of matched probes
  Outcome outcome_;
  std::vector<std::string> wrong_;
};

// Common code of ranks of one process, threads or fibers.
Result<target::Target> target_of(const Chain& chain);
rank::Node node_of(const target::Target& target, int ranks, int number);
// Plays the rank's part of the whole chain to its end, or until its node fails.
record::RankSummary play_part(rank::Rank& rank, const target::Target& target, const Chain& chain, Log& log,
                              std::vector<std::string>& wrong);

// Plays the whole chain, with a thread for each rank, on `nodes` nodes (at most one for each rank) with an agent each,
// as if they shared no memory; optionally with random real delays at random places of the wire, up to a limit in
// microseconds. `wrong`: messages with wrong contents.
struct Played {
  std::vector<Log> logs;  // of each rank
  record::RunSummary record;
  std::vector<std::string> wrong;
};
Result<Played> play_in_threads(const Chain& chain, int delays, int nodes = 1);
// As above, with a fiber for each rank.
Result<Played> play_on_fibers(const Chain& chain);

}  // namespace emu::reference
