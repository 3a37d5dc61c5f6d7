// One emulated rank: its virtual clock, its messages, its requests.
//
// Every operation starts at the rank's clock and moves it by the arithmetic of model/network.h;
// rank/semantics.md says exactly how. Calls that wait return when the rule of order allows the answer, with
// the clock at the instant at which it was there. Single-threaded.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "clock/clock.h"
#include "match/card.h"
#include "match/queue.h"
#include "match/wire.h"
#include "model/network.h"
#include "model/outages.h"
#include "model/schedule.h"
#include "model/speed.h"
#include "rank/buffer.h"
#include "rank/communicator.h"
#include "rank/failures.h"
#include "rank/horizon.h"
#include "rank/polling.h"
#include "rank/request.h"
#include "record/recorder.h"

namespace emu::rank {

inline constexpr int proc_null = -1;  // as MPI_PROC_NULL: an operation with no peer completes at once, free

enum class Mode {
  standard,     // eager up to S bytes, rendezvous above
  synchronous,  // always rendezvous
  buffered,     // as standard, but complete for the caller at once
};

// The node that a rank is on.
struct Node {
  model::Speed cpu;
  model::Outages outages;         // the cpu's speed is 0 then
  std::vector<Instant> failures;  // of each rank's node, for good; empty: none ever does
  // Called when it has gone down for good, with the rank's clock at that instant: the rank does nothing more.
  // Does not return normally.
  std::function<void()> failed;
  bool noticed = false;  // operations that name a rank that failed say so: rank/semantics.md
};

class Rank {
 public:
  // `number` of `size`; `network` and `wire` outlive the rank. `node`: its own.
  Rank(int number, int size, const model::Network& network, match::Wire& wire, Node node = Node());

  int number() const { return number_; }
  int size() const { return size_; }
  Instant now() const { return clock_.now(); }
  const clock::Clock& clock() const { return clock_; }
  std::int64_t messages_sent() const { return messages_sent_; }
  std::int64_t bytes_sent() const { return bytes_sent_; }

  // The program begins.
  void start() { clock_.start(); }

  // --- between calls
  // A call begins. `call` lives for ever; it is named in the report of a deadlock.
  void enter(const char* call) {
    call_ = call;
    polling_.begin();
    if (recorder_) recorder_->enter(call, clock_.now());
  }
  // Control goes back to the program: tells the others how far this rank is.
  void leave() {
    if (recorder_) recorder_->leave();
    if (!polling_.silent()) wire_.running(clock_.now());
  }
  // What it does is recorded from here on. The recorder outlives the rank.
  void record(record::Recorder& recorder) { recorder_ = &recorder; }
  // Its node has failed for good: the last thing to record.
  void record_failure();
  // The program did what the reference CPU does in `work`, as measured or as declared. False if its own CPU
  // never gets it done, because it stands still for ever; the clock then stays.
  [[nodiscard]] bool measured(Interval work);
  [[nodiscard]] bool declared(Interval work);
  // The rank does nothing more. Returns once no other has anything left to do before this one's clock, nor one
  // of a lower number at that very instant.
  void await_turn();
  // The program reads the clock, which costs a poll.
  void clock_read();

  // --- point-to-point (rank.cc). Peers are ranks in `comm`, or proc_null; receives also take any_source and
  // any_tag. The status says if they met the failure of another rank.
  Status send(const Communicator& comm, int to, int tag, const Buffer& data, Mode mode = Mode::standard);
  Status receive(const Communicator& comm, int from, int tag, const Buffer& into);
  Status send_receive(const Communicator& comm, int to, int send_tag, const Buffer& data, int from,
                      int receive_tag, const Buffer& into);
  Request* isend(const Communicator& comm, int to, int tag, const Buffer& data, Mode mode = Mode::standard);
  Request* ireceive(const Communicator& comm, int from, int tag, const Buffer& into);

  // --- completion (completion.cc). Null entries do not count. The requests stay the caller's, to be freed
  // once it has seen their status; those that are in doubt stay under way.
  using Requests = std::span<Request* const>;
  void wait_all(Requests requests) { wait_all(waiting_for(requests)); }
  int wait_any(Requests requests);    // index of one that is over; -1 if there is none to wait for
  void wait_some(Requests requests);  // at least one is over afterwards
  bool test_all(Requests requests);   // a false answer costs a poll
  bool test_some(Requests requests);
  bool test_any(Requests requests, int& index);  // index -1: there is none to test, which is true
  Status probe(const Communicator& comm, int from, int tag);
  std::optional<Status> iprobe(const Communicator& comm, int from, int tag);
  // Complete or not: an incomplete request ends in the background.
  void free(Request* request);

  // --- collectives (collective.cc). `combine`: into := from op into.
  struct Memory {
    const std::byte* input = nullptr;
    std::byte* output = nullptr;
    void (*combine)(void* state, const std::byte* from, std::byte* into, model::Bytes bytes) = nullptr;
    void* state = nullptr;
  };
  // The failed rank that broke it; -1: none did.
  [[nodiscard]] int run(const Communicator& comm, const model::Schedule& schedule, const Memory& memory);
  // All members go on from the latest of their clocks; costs nothing but the waiting. They all go on or, if
  // one of them has failed by then, none: what follows must be the host's own business, which waits for all.
  // A join has no lookahead, so a member that went on at once could miss what another one does who has yet to
  // hear. The failed rank because of which nobody goes on; -1 if all do.
  [[nodiscard]] int join(const Communicator& comm);

  // --- failures of others (agreement.cc)
  // What the members of a communicator that are left agree upon, at one instant.
  struct Agreement {
    int flag = 0;               // the `and` of theirs
    bool acknowledged = false;  // all of them have acknowledged all failures
    std::vector<char> alive;    // of each member: whether it is left
  };
  Agreement agree(Communicator& comm, int flag);
  // What such an agreement about `bytes` costs the members that are left, in `members`.
  void pay_agreement(const Communicator& members, model::Bytes bytes);
  const Failures& failures() const { return failures_; }

  // Carries out the handshakes that are left: of buffered sends, before their buffer may go; and of all when
  // the program has finished. Sends to ranks that fail, and whose requests the program has freed, are not
  // waited for.
  void finish_buffered();
  void finish();

 private:
  // What a call waits for or tests.
  struct Goal {
    Requests requests;
    bool together = false;                 // they count only when all of them can complete
    const match::Filter* probe = nullptr;  // or a message
    Interval reaction;  // least cost of any event that ends the waiting or is handled meanwhile
    const Communicator* comm = nullptr;  // of a probe
    Instant broken = Instant::never();   // of a collective: when the failure `by` of a member breaks it
    int by = -1;
    const Communicator* joins = nullptr;  // it waits for a word of a member, which takes no time
  };
  struct Event {
    enum class Kind {
      none,
      request,
      answer,
      completion,
      candidate,
      failure,  // of `failed`, which the request or the probe names
      doubt,    // `failed` may have been the source
      broken,   // the collective, by `failed`
    };
    Kind kind = Kind::none;
    match::Message* message = nullptr;  // what arrived
    match::Arrival key;                 // its place in the order
    Request* request = nullptr;
    Instant at;       // when it can be handled
    int failed = -1;  // the rank whose failure it is

    // From when on the rank can act upon it.
    Instant ready() const { return at; }
    explicit operator bool() const { return kind != Kind::none; }
  };
  struct Head {  // of a message: when it comes to a card or to the bus
    Instant at;
    record::Path path;
  };
  struct ByAnswer {
    bool operator()(const Request* a, const Request* b) const {
      return a->handshake->turn() < b->handshake->turn();
    }
  };
  struct ByRequest {
    bool operator()(const Request* a, const Request* b) const { return a->bound->turn() < b->bound->turn(); }
  };

  void wait_all(const Goal& goal);
  // collectives (collective.cc)
  int first_failing(const Communicator& comm) const;
  int wait_in_collective(std::vector<Request*>& started, int failing, Interval reaction);
  void combine(const Communicator& comm, const Memory& memory, const std::byte* from, std::byte* into,
               model::Bytes bytes);
  static int join_tag(const Communicator& comm);
  // Beside the network, at no cost.
  void tell(const Communicator& comm, int member, int tag, std::span<const std::byte> what);
  // False if it does not come up to `until`, or if that member fails and it is noticed.
  bool hear(const Communicator& comm, int member, int tag, std::span<std::byte> what, Instant until);
  int broken_join(const Communicator& comm);

  bool compute(Interval work);

  // starting (rank.cc)
  Request* new_request();
  void recycle(Request* request);
  int known_failed(const Communicator& comm, int to);
  // True if the send is over: its peer is none, or it is eager. Otherwise it is counted and left to offer().
  bool send_at_once(match::Context context, const Communicator& comm, int to, int tag, const Buffer& data,
                    Mode mode);
  Request* offer(match::Context context, const Communicator& comm, int to, int tag, const Buffer& data,
                 Mode mode);
  Request* start_send(match::Context context, const Communicator& comm, int to, int tag, const Buffer& data,
                      Mode mode);
  Request* start_receive(match::Context context, const Communicator& comm, int from, int tag,
                         const Buffer& into);
  void send_eager(const match::Envelope& envelope, int to, int source_in_comm, const Buffer& data);
  [[gnu::cold]] void keep_behind(int to, match::Message& message);
  void tell_of(const match::Message& message, int to);
  void keep_gap();
  // `cost`: what was charged for it.
  void dispatch(int to, match::Message* message, model::Bytes occupying, Interval cost);

  // the heart (progress.cc)
  std::uint64_t drain();
  void route(match::Message* message);
  void met(match::Queue::Pair pair);
  Event least_event(const Goal& goal) const;
  bool survives(const Event& handshake) const;
  // What completes the request, or ends the waiting for it, as far as is known.
  Event ending(Request* request) const;
  Event failing(Event::Kind kind, Instant known, int failed, Request* request) const;
  Event failing_probe(const Goal& goal, bool found) const;
  // The first failure that puts a receive from any source in doubt: the failed rank; -1: there is none.
  int doubtful(const Communicator& comm) const;
  void begin_waiting(Requests requests);
  // The least event up to `limit`, once it is certain; nothing, once it is certain that there is none. Sleeps
  // meanwhile.
  std::optional<Event> next_event(const Goal& goal, Instant limit);
  match::Concern concern(const Goal& goal, const Event& event);
  // Takes a message that arrives here for certain at its arrival.at, unless the node is down then.
  void arrive(match::Message* message);
  [[gnu::cold]] void lose(match::Message* message, const match::Loss& loss);
  Instant last_answer() const;
  // Whether the node of this rank of the world has failed for good by now.
  bool has_failed(int world) const { return failures_.at(world) <= clock_.now(); }
  bool only(const Goal& goal, const match::Queue::Pair& pair) const;
  match::Waiting waiting(const Goal& goal) const;

  // what an event does (events.cc)
  void handle(const Event& event);
  [[gnu::noinline]] void answer(Request* receive);
  [[gnu::noinline]] void send_data(Request* send);
  void complete(Request* receive);
  // The request ends with the failure of a rank.
  void fail(Request* request, int failed);
  // Undoes what a request that is not complete has under way.
  void detach(Request* request);
  void forget(Request* request);
  [[gnu::cold]] void record_sent(const match::Message& message, int to, Interval cost);
  [[gnu::cold]] void record_received(const match::Message& message, Interval cost);

  // Every event but a found probe and a join costs a receive overhead at the least.
  Goal waiting_for(Requests requests) const {
    return {requests, false, nullptr, network_.least_receive_overhead()};
  }

  // asking (completion.cc)
  bool sweep(const Goal& goal, Instant now, bool stop_at_completion);
  void charge_poll();
  // Asks once, unless the answer is known (polling.h). False: the cost is charged.
  template <class Attempt>
  bool poll(const Goal& goal, Attempt attempt);
  // After a false answer: finds out up to when it stays.
  void look_ahead(const Goal& goal);

  const int number_;
  const int size_;
  const model::Network& network_;
  match::Wire& wire_;
  const model::Speed cpu_;
  const Failures failures_;
  clock::Clock clock_;
  match::Queue queue_;
  match::Card card_;
  Polling polling_;
  Horizon horizon_;
  const char* call_ = "";
  record::Recorder* recorder_ = nullptr;  // null: nothing is recorded

  std::uint64_t sequence_ = 0;                // of all that this rank sends
  Instant next_send_;                         // g: not before
  Instant card_free_;                         // card "serial": when the sending side is free
  record::Path next_send_path_, card_path_;   // to these two
  std::unordered_map<int, Head> last_heads_;  // by receiver: where links to cards or to the bus change

  std::set<Request*, ByRequest> to_answer_;  // receives that met a request (E1)
  std::set<Request*, ByAnswer> answered_;    // sends whose answer is here (E2)
  std::set<Request*> offered_;               // sends whose answer is still to come

  std::vector<std::unique_ptr<Request>> requests_;  // all there ever were
  std::vector<Request*> spare_requests_;
  std::vector<int> concerned_;  // scratch of concern()
  Instant entered_;             // when the call at hand began to wait or to test
  int met_ = -1;                // the failure that ended a probe or a collective's wait
  bool computing_ = false;      // also in a call that declares work, or whose operation computes

  std::int64_t messages_sent_ = 0;
  std::int64_t bytes_sent_ = 0;
};

}  // namespace emu::rank
