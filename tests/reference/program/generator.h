// State of generate(), in a header of its own because two files implement it.
#pragma once

#include <vector>

#include "reference/program/generate.h"
#include "reference/program/random.h"

namespace emu::reference {

// Emits a program as a sequence of groups of messages. Both sides of a message are emitted in one
// global order on all ranks, so a program whose receives name their sources cannot deadlock: for the
// rank that is furthest behind, all others have already done their part. Receives from any source may
// take a message that another receive needs; a program that deadlocks for this reason is of no use.
class Generator {
 public:
  Generator(std::uint64_t seed, const Batch& batch);
  Program run();
  Program run_noticing();
  Program run_measured();
  Program run_concurrent();

 private:
  struct Planned {            // one message
    int source, destination;  // ranks in the world
    Outgoing out;
    Incoming in;  // the receive at its position, which need not get this message
    bool in_parts = false;
  };
  // The way in which the receives of one group on one rank choose.
  enum class Choice { named, any_source, mixed, any_tag, ladder };
  enum class Order { together, receives_first, sends_first };

  // generate.cc: groups
  void group();
  std::vector<Planned> plan(int communicator, bool contest);
  void emit(const std::vector<Planned>& messages, int communicator, Order order);
  int another(int communicator, int source, int destination);
  void choose_receives(std::vector<Planned>& messages, int destination);
  void ring();
  void taken_back_in_flight();
  void collective();
  Operation any_collective(bool makes);  // `makes`: creates a communicator and uses it
  void start_together();
  void close();

  // generate_requests.cc: requests that are started several times, and collectives in the background
  void repeat();
  void again(int rank, int slot);
  void end_start(int rank, int& slot);
  void end_and_free(int rank, int slot);
  void ask_all(int rank);
  void take_stream_back(const Planned& message, int communicator, int sent, int received);
  void in_background();

  // generate_failing.cc: programs that continue when ranks have failed
  void react();
  void on_all(Operation operation);
  void ring_of_newest();
  void acknowledge_some(int rank);
  void end_noticing();

  // generate_calls.cc: single operations
  void emit_send(const Planned& message, int communicator, bool may_block);
  void emit_receive(const Planned& message, int communicator, bool may_block);
  Incoming as_called(Incoming in, int communicator) const;
  void release(int rank, Operation& started);
  void release(int rank, int slot);
  void emit_exchange(const Planned& message, int communicator, bool sends);
  void emit_receive_found(const Planned& message, int communicator);
  void keep_found(int rank, int found, int communicator);
  void emit_receive_anew(const Planned& message, int communicator);
  void post_to_take_back(const Planned& message, int communicator);
  void receive_anew(int rank);
  void emit_parts(const Planned& message, int communicator);
  void emit_receive_parts(const Planned& message, int communicator, bool may_block);
  void emit_taken_back(const Planned& message, int communicator);
  void stray(int rank);
  void cancel_strays(int rank);
  void take_stray(int rank);
  void sprinkle(int rank);
  void complete_some(int rank);
  void complete_all(int rank);
  void compute(int rank, std::int64_t picoseconds);
  Operation& add(int rank, Action action, int communicator = 0);
  int new_slot(int rank);
  // A slot of a request that must not be waited for yet.
  int hidden_slot(int rank) { return slots_[static_cast<std::size_t>(rank)]++; }
  void show(int rank, int slot) { live_[static_cast<std::size_t>(rank)].push_back(slot); }
  Bytes size();
  std::int64_t duration();
  int any_rank() { return random_.below(ranks_); }
  bool plain() const { return !noticing_ && !measured_; }
  // Operations in the background, matched probes, and collectives among neighbours and between groups.
  bool rich() const { return plain() || rich_; }
  // Persistent and partitioned messages, cancelled receives, and matched probes whose message is received later.
  bool full() const { return plain() || full_; }
  bool releases() const { return noticing_ ? releases_ : batch_.releases && plain() && !concurrent_; }
  bool mixes() const { return batch_.mixes && !concurrent_; }
  bool takes_beside() const { return batch_.takes_beside && full() && !concurrent_; }
  bool frees_idle() const { return batch_.frees_idle && !concurrent_; }
  bool releases_started() const { return batch_.releases_started && !concurrent_; }
  bool cancels() const { return batch_.cancels && !measured_; }
  // The program must end whatever its timing, so calls that wait follow when all messages are in progress.
  bool timed_by_host() const { return measured_ || concurrent_; }

  Random random_;
  Batch batch_;
  int ranks_;
  Program program_;
  std::vector<std::vector<int>> live_;  // per rank: slots that may still be incomplete
  std::vector<int> slots_;              // per rank: number of slots used
  std::vector<std::vector<Operation>>
      anew_;  // by rank: for later, cancels of receives, as receive_anew, and receives of messages of probes
  std::vector<std::vector<int>> strays_;  // by rank: slots of sends without a receive, to be cancelled
  int messages_ = 0;
  bool noticing_ = false;
  bool rich_ = false;
  bool full_ = false;
  bool retakes_ = false;     // starts of persistent messages are cancelled
  bool makes_ = false;       // failures are noticed in operations that make communicators
  bool tells_ = false;       // ... also if other ranks tell of edges
  bool releases_ = false;    // requests are freed although failures are noticed
  bool measured_ = false;    // the times of computations are unknown
  bool concurrent_ = false;  // another thread of each rank plays another program at the same time
  bool shrunk_ = false;      // there is a newest communicator
  int tag_ = 0;              // first tag of the group
  bool open_ = false;        // a receive of any tag in this group could take a message of the next group
  std::int64_t beat_;        // the duration of many computations
};

}  // namespace emu::reference
