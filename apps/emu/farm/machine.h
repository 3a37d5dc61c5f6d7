// Sequential simulation of all ranks of a job, in whole picoseconds.
//
// The ranks are logical processes with virtual clocks, as in libemu/rank, and every instant follows
// libemu/rank/semantics.md: overheads, eager and rendezvous messages, cards, bus, grid, the gap between sends, and the
// choice of a receive from any source. Events are handled in the order of virtual time, so each choice is certain when
// it is made, and no rank waits for a horizon. These ranks have fewer operations than those of libemu: they compute,
// read their clocks, send, and receive either from named sources or, one message at a time, from any source. Their
// nodes never fail.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <queue>
#include <unordered_map>
#include <vector>

#include "base/failure.h"
#include "clock/clock.h"
#include "clock/gap.h"
#include "model/network.h"
#include "model/speed.h"
#include "record/summary.h"
#include "target/target.h"

namespace emu::app::farms {

// Contents of a message, which the machine does not interpret.
struct Note {
  std::int32_t first = 0, count = 0;  // tasks
  double seconds = 0;
};

// Messages match receives of their channel only, as with communicators and tags.
using Channel = int;

inline constexpr int any_rank = -1;

class Machine;

// Program of one rank, as a state machine.
class Process {
 public:
  virtual ~Process() = default;
  // Continues. True: the program has ended. False: Machine::wait() has answered false; the machine calls again when a
  // message has arrived.
  virtual bool go_on(Machine& machine) = 0;
};

class Machine {
 public:
  // `target` outlives the object, and has room for the ranks.
  Machine(const target::Target& target, int ranks);
  Machine(const Machine&) = delete;

  // Runs one program on each rank. Fails if virtual time ends, if work is never completed, or in a deadlock.
  Result<record::RunSummary> run(std::vector<std::unique_ptr<Process>> programs);

  // Operations of the program of `rank`, at the rank's clock.
  void compute(int rank, double seconds);     // on the reference CPU, as emu_compute()
  double read_clock(int rank);                // as MPI_Wtime()
  void copy(int rank, model::Bytes bytes);    // in a collective, from buffer to buffer
  void reduce(int rank, model::Bytes bytes);  // in a collective, by a predefined operation
  void allocate(int rank, model::Bytes bytes, model::Bytes largest);  // temporary memory of a collective
  void start_send(int rank, int to, Channel channel, model::Bytes bytes, const Note& note = {});
  // A receive from any_rank is permitted only while the rank has no other pending operation.
  void start_receive(int rank, int from, Channel channel);
  // True once all operations that the rank has started are complete.
  bool wait(int rank);

  struct Received {
    int from = 0;
    Note note;
  };
  // Result of the receive that was completed last.
  const Received& received(int rank) const { return ranks_[static_cast<std::size_t>(rank)].received; }
  const model::Network& network() const { return network_; }

 private:
  struct Message;
  using Line = std::deque<Message*>;  // unexpected messages of one source and channel, in send order
  struct Message {
    enum class Kind : std::uint8_t { eager, request, answer, data };
    Kind kind = Kind::eager;
    bool here = false;    // it has arrived
    bool shared = false;  // it passes the receiver's card or the bus
    int from = 0, to = 0;
    Channel channel = 0;
    std::size_t sending = 0, receiving = 0;  // operations of the handshake's two ends
    model::Bytes bytes = 0;
    Note note;
    Line* line = nullptr;  // its line; null: it is matched
    Instant at;  // instant of its head, then of its arrival; the later instant until which it is held
    std::uint64_t sequence = 0;  // number among all messages of its sender
    Interval occupancy;
    double trailing = 0;
    Interval further;  // further trips, for an answer
    double further_latencies = 0;
    record::Path path;
  };
  // Order of messages at a receiver: rank/semantics.md, "Messages".
  struct Key {
    Instant at;
    bool arrival = true;  // heads of one instant come first
    int from = 0;
    std::uint64_t sequence = 0;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  static Key key_of(const Message& m) { return {m.at, true, m.from, m.sequence}; }
  struct Event {
    Key key;
    Message* message;
    friend bool operator>(const Event& a, const Event& b) { return a.key > b.key; }
  };
  using Queue = std::priority_queue<Event, std::vector<Event>, std::greater<>>;

  // A send by rendezvous, or a receive.
  struct Operation {
    bool receive = false;
    bool complete = false;
    bool answered = false;
    int peer = 0;
    Channel channel = 0;
    model::Bytes bytes = 0;
    Note note;
    Message* message = nullptr;  // the next message to be handled
  };
  struct Head {
    Instant at;
    record::Path path;
  };
  struct Rank {
    clock::Clock clock;
    model::Speed speed;
    std::uint64_t pieces = 0;  // number of pieces of work begun
    std::unique_ptr<Process> program;
    bool waits = false, over = false;
    std::vector<Operation> operations;
    Received received;
    std::unordered_map<std::int64_t, Line> lines;
    bool chooses = false;  // it has received from any source, of this channel:
    Channel chosen_channel = 0;
    Queue candidates;  // the first message of each of its lines, if it has arrived
    std::uint64_t sequence = 0;
    clock::Gap gap;
    Instant card_out, card_in;  // instants at which the two sides of its serial card are free
    record::Path card_out_path, card_in_path;
    std::unordered_map<int, Head> last_heads;  // by receiver; for links that change
    std::int64_t sends = 0, bytes = 0;
  };

  Rank& at(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  static std::int64_t line_of(int from, Channel channel) { return std::int64_t{channel} << 32 | from; }

  Message* make(Message::Kind kind, int from, int to);
  void release(Message* message) { free_.push_back(message); }
  // --- messages on their way: rank/egress.cc
  void leave(Rank& rank, Message* message, model::Bytes occupying);
  void enforce_link_order(Rank& rank, Message& message);
  void pass(Message* message);
  void travelled(Message* message);
  void arrive(Message* message);
  // --- matching
  void join(Message* message);
  void offer(Rank& rank, Message* message);
  void begin_choosing(Rank& rank, Channel channel);
  void choose(Rank& rank, Operation& receive);
  // --- handling
  Operation* least(Rank& rank);
  void handle(Rank& rank, int number, Operation& operation);
  void go_on(int rank);
  Result<record::RunSummary> summary() const;

  const target::Target& target_;
  const model::Network network_;
  std::deque<Rank> ranks_;
  std::deque<Message> messages_;
  std::vector<Message*> free_;
  Queue events_;
  Instant bus_free_;
  record::Path bus_path_;
};

}  // namespace emu::app::farms
