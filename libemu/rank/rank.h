// One emulated rank: its virtual clock, its messages, its requests.
//
// Every operation starts at the rank's clock and moves it by the arithmetic of model/network.h;
// rank/semantics.md says exactly how. Calls that wait return when the rule of order allows the answer, with
// the clock at the instant at which it was there. Single-threaded.
//
// The parts stand in files of their own, each of which uses those before it:
//   core.h            what all parts share
//   event.h           what could happen next, and who offers it
//   request.h, requests.h, egress.h   operations under way; how messages leave
//   rendezvous.h      the handshake of long messages
//   point_to_point.h  sends and receives: how they start, meet their messages, and end
//   scheduler.h       what may happen next, and whether it may happen now
//   goals.h, completion.h   what calls wait for; the calls that wait and test
//   collective.h, agreements.h operations of several ranks
//   windows.h         operations on another rank's memory
//   storage.h         accesses to files
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "clock/clock.h"
#include "match/queue.h"
#include "match/wire.h"
#include "model/network.h"
#include "model/outages.h"
#include "model/schedule.h"
#include "model/speed.h"
#include "rank/core.h"
#include "rank/deferred.h"
#include "rank/egress.h"
#include "rank/ingress.h"
#include "rank/protocols/agreements.h"
#include "rank/protocols/background.h"
#include "rank/protocols/collective.h"
#include "rank/protocols/completion.h"
#include "rank/protocols/exchange.h"
#include "rank/protocols/point_to_point.h"
#include "rank/protocols/rendezvous.h"
#include "rank/protocols/windows.h"
#include "rank/protocols/withdrawals.h"
#include "rank/scheduler.h"
#include "record/recorder.h"

namespace emu::rank {

// The node that a rank is on.
struct Node {
  model::Speed cpu;
  model::Outages outages;         // the cpu's speed is 0 then
  std::vector<Instant> failures;  // of each rank's node, for good; empty: none ever does
  // Called when it has gone down for good, with the rank's clock at that instant: the rank does nothing more.
  // Does not return normally.
  std::function<void()> failed;
  bool noticed = false;  // operations that name a rank that failed say so: rank/semantics.md
  // Called when something would happen behind the last instant there is: clock/clock.h.
  std::function<void(Instant before)> overrun = {};
  model::Storage storage = {};
  bool loses = false;  // messages get lost, since some node is down for a time
};

class Rank {
 public:
  using Requests = rank::Requests;
  using Memory = rank::Memory;
  using Agreement = rank::Agreement;

  // `number` of `size`; `network` and `wire` outlive the rank. `node`: its own.
  Rank(int number, int size, const model::Network& network, match::Wire& wire, Node node = Node());

  int number() const { return core_.number; }
  int size() const { return core_.size; }
  Instant now() const { return core_.clock.now(); }
  const clock::Clock& clock() const { return core_.clock; }
  const Failures& failures() const { return core_.failures; }
  std::int64_t messages_sent() const { return egress_.sends(); }
  std::int64_t bytes_sent() const { return egress_.bytes(); }

  // The program begins.
  void start() { core_.clock.start(); }

  // --- between calls
  // A call begins. `call` lives for ever; it is named in the report of a deadlock.
  void enter(const char* call) {
    core_.call = call;
    core_.polling.begin();
    if (core_.recorder) core_.recorder->enter(call, now());
    if (core_.program) core_.program->enter(call);
  }
  // Control goes back to the program: tells the others how far this rank is.
  void leave() {
    if (core_.recorder) core_.recorder->leave();
    if (core_.program) core_.program->leave();
    if (!sharers_.empty()) [[unlikely]]
      return scheduler_.await_turn(sharers_);
    if (core_.polling.silent()) return;
    if (windows_.serving()) [[unlikely]]
      return scheduler_.serve();
    core_.wire.running(now());
  }
  // The program loads and stores in memory that it shares with these ranks of its node: from here on the rank leaves in turn.
  void takes_turns(std::vector<int> others) { sharers_ = std::move(others); }
  // The program runs on and does not call: Scheduler::promise().
  Instant promise(Instant most) { return scheduler_.promise(most); }
  // What it does is recorded from here on. The recorder outlives the rank.
  void record(record::Recorder& recorder) { core_.recorder = &recorder; }
  // What the program asks for is kept from here on. The writer outlives the rank.
  void keep(record::ProgramWriter& program) { core_.program = &program; }
  // Its node has failed for good: the last thing to record.
  void record_failure();
  // From here on several threads may call at once, in `turns`, which outlives the rank.
  void share(Turns& turns);
  // The same work as of measured() and declared(), of a thread that was at `since` when it began it: beside what the rank has
  // been about since then.
  [[nodiscard]] bool worked(Instant since, Interval work);
  // How far the rank would be by such work alone.
  Instant reaches(Instant since, Interval work) const {
    return cpu_.done(work, since, core_.clock.outages().end()).at;
  }
  // A thread that was taken to compute until `until` calls.
  void computed_until(Instant until);
  // The program did what the reference CPU does in `work`, as measured or as declared. False if its own CPU
  // never gets it done, because it stands still for ever; the clock then stays.
  [[nodiscard]] bool measured(Interval work);
  [[nodiscard]] bool declared(Interval work) {
    if (core_.program) [[unlikely]]
      core_.program->work(work, false);
    if (cpu_.jitter().deviation != 0) [[unlikely]]
      work = cpu_.jitter().of(work, core_.number, pieces_++);
    return compute(work);
  }
  // The rank does nothing more. Returns once no other has anything left to do before this one's clock, nor one
  // of a lower number at that very instant.
  void await_turn() { scheduler_.await_turn(size()); }
  // The program reads the clock: what it reads is the instant at which it asks; asking costs a poll, so one that
  // does nothing else sees the clock move.
  Instant read_clock();

  // --- point-to-point. Peers are ranks in `comm`, or proc_null; receives also take any_source and any_tag. The
  // status says if they met the failure of another rank.
  Status send(const Communicator& comm, int to, int tag, const Buffer& data, Mode mode = Mode::standard);
  Status receive(const Communicator& comm, int from, int tag, const Buffer& into);
  Status send_receive(const Communicator& comm, int to, int send_tag, const Buffer& data, int from,
                      int receive_tag, const Buffer& into);
  Request* isend(const Communicator& comm, int to, int tag, const Buffer& data, Mode mode = Mode::standard);
  Request* ireceive(const Communicator& comm, int from, int tag, const Buffer& into);
  // isend and ireceive, for which one request stands.
  std::unique_ptr<Exchange> exchange(const Communicator& comm, int to, int send_tag, const Buffer& data,
                                     int from, int receive_tag, const Buffer& into);
  // One that ends when the program says so, or with what begins later.
  std::unique_ptr<Deferred> deferred() {
    chooses(record::Choice::background);
    return std::make_unique<Deferred>(core_, operations_, pool_, scheduler_);
  }
  // Complete or not: an incomplete request ends in the background.
  void free(Request* request) {
    if (core_.program) [[unlikely]]
      core_.program->free(request);
    operations_.free(request);
  }
  // Perhaps nobody will ever wait for the receive, though it was not freed: its data are in its buffer as soon as they are here.
  void lose(Request* receive) { operations_.lose(receive); }

  // The program sleeps for `d`, whatever its CPU's speed.
  void sleep(Interval d);
  // The job is over: threads that still sleep go on, and nothing is recorded any more.
  void end_sleeps();

  // --- files: the storage takes `bytes`. The first returns when it is done; of the second the request is complete
  // then, with `status`.
  void access(model::Bytes bytes);
  // It takes none before `until`.
  void storage_busy_until(Instant until);
  Request* start_access(model::Bytes bytes, const Status& status);

  // --- completion (rank/protocols/completion.h). Null entries do not count. The requests stay the caller's, to be freed
  // once it has seen their status; those that are in doubt stay under way.
  void wait_all(Requests requests) {
    completion_.wait_all(requests);
    waited(requests);
  }
  int wait_any(Requests requests) {
    const int index = completion_.wait_any(requests);
    chose(requests, record::Choice::any_request);
    return index;
  }
  void wait_some(Requests requests) {
    chooses(record::Choice::any_request);
    completion_.wait_some(requests);
    chose(requests, record::Choice::any_request);
  }
  bool test_all(Requests requests) {
    const bool all = completion_.test_all(requests);
    chose(all ? requests : Requests(), record::Choice::test);
    return all;
  }
  bool test_some(Requests requests) {
    const bool some = completion_.test_some(requests);
    chose(requests, record::Choice::test);
    return some;
  }
  bool test_any(Requests requests, int& index) {
    const bool any = completion_.test_any(requests, index);
    chose(any && index >= 0 ? requests.subspan(static_cast<std::size_t>(index), 1) : Requests(),
          record::Choice::test);
    return any;
  }
  // Whether it was taken back its status says.
  void cancel(Request* request) {
    chooses(record::Choice::cancel);
    completion_.cancel(request);
  }
  // The same of sends, in a job all of whose ranks have begun with this; elsewhere they stay as they are.
  void begin_withdrawals() { withdrawals_.begin(); }
  void withdraw(Request* send) {
    chooses(record::Choice::cancel);
    withdrawals_.ask(send);
  }
  // A matched probe (`taken`) also takes the message out of the queue, for ireceive().
  Status probe(const Communicator& comm, int from, int tag, match::Message** taken = nullptr) {
    chooses(record::Choice::probe);
    return completion_.probe(comm, from, tag, taken);
  }
  std::optional<Status> iprobe(const Communicator& comm, int from, int tag,
                               match::Message** taken = nullptr) {
    chooses(record::Choice::probe);
    return completion_.iprobe(comm, from, tag, taken);
  }
  // Receives what a matched probe has taken.
  Request* ireceive(match::Message* taken, const Buffer& into) {
    return operations_.start_receive(taken, into);
  }

  // --- of several ranks (rank/protocols/collective.h, rank/protocols/agreements.h)
  // The program begins one that waits; the members have to agree in `root` and `bytes` (-1: in none), which the report of a
  // deadlock looks at.
  void joins(Communicator& comm, int root, model::Bytes bytes) {
    core_.wire.joins({core_.call, comm.context, comm.world[0], ++comm.joined, root, bytes});
  }
  // Carries a schedule out; its messages have `tag`. The failed rank that broke it; -1: none did. `lengths`, if it is given:
  // whether the members agree about them.
  [[nodiscard]] int run(const Communicator& comm, int tag, const model::Schedule& schedule,
                        const Memory& memory, Lengths* lengths = nullptr);
  [[nodiscard]] int run(const Communicator& comm, const model::Schedule& schedule, const Memory& memory) {
    return run(comm, comm.round, schedule, memory);
  }
  // The same, in the background.
  std::unique_ptr<Background> start(const Communicator& comm, int tag, const model::Schedule& schedule,
                                    const Memory& memory, const Named& named = {});
  Agreement agree(Communicator& comm, int flag, match::Context name = 0) {
    chooses(record::Choice::agreement);
    return agreements_.agree(comm, flag, name);
  }
  // What such an agreement about `bytes` costs the members that are left, in `members`.
  void pay_agreement(const Communicator& members, model::Bytes bytes);

  // --- one-sided (rank/protocols/windows.h)
  Windows& windows() {
    chooses(record::Choice::one_sided);
    return windows_;
  }
  // Returns when nothing is awaited any more from `from`, in MPI_COMM_WORLD, or from anyone (-1). A rank that failed before it had
  // answered; -1: none did.
  [[nodiscard]] int wait_for_answers(match::Context window, int from);
  // `rank`, in MPI_COMM_WORLD, if it is known to have failed; otherwise -1.
  int known_failed(int rank) const { return core_.failures.known(rank) > now() ? -1 : rank; }
  // This rank does nothing more; what others had its memory do before has been done when this returns.
  void serve_last() {
    if (windows_.serving()) scheduler_.settle({.everyone = true});
  }
  // The same, and nobody will have its memory do anything any more, at any instant.
  void serve_out() {
    if (windows_.serving()) scheduler_.settle({.everyone = true}, Instant::last());
  }
  // All operations on this rank's memory that have arrived by now have taken effect. Costs a poll, so that a program that
  // waits in a loop for what others write sees the clock move.
  void synchronize();
  // A collective operation step by step, by a caller that has its steps: messages with this context follow in this call; a
  // copy, or a predefined reduction, of so many bytes.
  void begins_collective(match::Context context) {
    collective_ = context;
    if (core_.recorder) core_.recorder->collective(context);
  }
  void copies(model::Bytes bytes);
  void combines(model::Bytes bytes);
  // Where much is awaited, what others have sent so far is moved to its place. Nothing happens in virtual time.
  void unload_answers();

  // Carries out the handshakes that are left: of buffered sends, before their buffer may go; and of all when
  // the program has finished. Sends to ranks that fail, and whose requests the program has freed, are not
  // waited for.
  void finish_buffered();
  void finish();

 private:
  bool compute(Interval work);
  // For the record of the program: it does what another target may answer otherwise.
  void chooses(record::Choice choice) {
    if (core_.program) [[unlikely]]
      core_.program->choice(choice);
  }
  // The call was about these requests; those that are complete are waited for.
  void chose(Requests requests, record::Choice choice) {
    if (core_.program) [[unlikely]]
      keep_choice(requests, choice);
  }
  void waited(Requests requests) {
    if (core_.program) [[unlikely]]
      keep_wait(requests);
  }
  void record_work(Instant before);
  void keep_choice(Requests requests, record::Choice choice);
  void keep_wait(Requests requests);
  void keep_send(const void* request, const Communicator& comm, int to, int tag, model::Bytes bytes,
                 Mode mode);

  Core core_;
  const model::Speed cpu_;
  match::Queue queue_;
  Ingress ingress_;
  RequestPool pool_;
  Egress egress_;
  Rendezvous rendezvous_;
  std::vector<Request*> asleep_;  // of threads that sleep
  Windows windows_;
  PointToPoint operations_;
  Withdrawals withdrawals_;
  Scheduler scheduler_;
  Completion completion_;
  Agreements agreements_;

  std::vector<int> sharers_;       // of memory, where loads and stores have an order
  std::uint64_t pieces_ = 0;       // of work that was declared, where it varies
  match::Context collective_ = 0;  // whose steps the caller has
  bool computing_ = false;         // also in a call that declares work, or whose operation computes
};

}  // namespace emu::rank
