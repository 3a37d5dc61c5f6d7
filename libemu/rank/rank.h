// One emulated rank: its virtual clock, its messages, its requests.
//
// Every operation starts at the rank's clock and moves the clock by the arithmetic of model/network.h, as
// rank/semantics.md defines. Calls that wait return when their answer is certain, with the clock at the instant of
// the answer. Threads of a rank call one after another (monitor.h).
//
// Parts, in the order of their dependencies; those in protocols/ offer events:
// core.h, event.h                 state that all parts share; events and the protocols that offer them
// failures.h                      failures of other ranks' nodes
// egress.h, ingress.h             departure of messages; resources that arriving messages share
// protocols/request.h, requests.h operations under way, by kind
// protocols/rendezvous.h          the handshake of long messages
// protocols/withdrawals.h         cancelled sends
// protocols/point_to_point.h      sends and receives: start, matching, completion
// protocols/window_server.h, windows.h   one-sided operations: at the target, at the origin
// protocols/timed.h, storage.h    requests whose end is known at their start: sleeps, accesses to files
// protocols/deferred.h            requests that the program or a later operation completes
// protocols/operations.h          operations of all kinds
// scheduler.h, event_loop.h, horizon.h   the next event, and whether it is certain
// goals.h, ends.h, polling.h      goals of calls; their requests in key order; many false tests in a row
// protocols/completion.h          the calls that wait and test
// protocols/exchange.h, collective.h, background.h, agreements.h   operations of several ranks
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
#include "rank/egress.h"
#include "rank/ingress.h"
#include "rank/protocols/agreements.h"
#include "rank/protocols/background.h"
#include "rank/protocols/collective.h"
#include "rank/protocols/completion.h"
#include "rank/protocols/deferred.h"
#include "rank/protocols/exchange.h"
#include "rank/protocols/operations.h"
#include "rank/protocols/point_to_point.h"
#include "rank/protocols/rendezvous.h"
#include "rank/protocols/timed.h"
#include "rank/protocols/window_server.h"
#include "rank/protocols/windows.h"
#include "rank/protocols/withdrawals.h"
#include "rank/scheduler.h"
#include "record/recorder.h"

namespace emu::rank {

// The node of a rank.
struct Node {
  model::Speed cpu;
  model::Outages outages;         // the speed of the CPU is 0 during an outage
  std::vector<Instant> failures;  // of each rank's node, for good; empty: no node fails
  // Called with the clock at the instant at which the node has failed for good: the rank does nothing more. Does not
  // return normally.
  std::function<void()> failed;
  bool noticed = false;  // operations that name a failed rank report it: rank/semantics.md
  // Called when something would happen after the last instant of virtual time: clock/clock.h.
  std::function<void(Instant before)> overrun = {};
  model::Storage storage = {};
  bool loses = false;  // messages may be lost, because some node is down for a time
};

class Rank {
 public:
  using Requests = rank::Requests;
  using Memory = rank::Memory;
  using Agreement = rank::Agreement;

  // Rank `number` of `size`, on `node`. `network` and `wire` outlive the rank.
  Rank(int number, int size, const model::Network& network, match::Wire& wire, Node node = Node());

  int number() const { return core_.number; }
  int size() const { return core_.size; }
  Instant now() const { return core_.clock.now(); }
  const clock::Clock& clock() const { return core_.clock; }
  const Failures& failures() const { return core_.failures; }
  std::int64_t messages_sent() const { return egress_.sends(); }
  std::int64_t bytes_sent() const { return egress_.bytes(); }

  // To be called when the program begins.
  void start() { core_.clock.start(); }

  // --- between calls
  // A call begins. The deadlock report names `call`, a string of static storage duration.
  void enter(const char* call) {
    core_.call = call;
    core_.polling.begin();
    if (core_.recorder) core_.recorder->enter(call, now());
    if (core_.program) core_.program->enter(call);
  }
  // Control returns to the program: publishes the clock as this rank's bound.
  void leave() {
    if (core_.recorder) core_.recorder->leave();
    if (core_.program) core_.program->leave();
    if (!sharers_.empty()) [[unlikely]]
      return scheduler_.wait_until_first(sharers_);
    if (core_.polling.silent()) return;
    if (window_server_.serving()) [[unlikely]]
      return scheduler_.serve();
    bounds_.running(now());
  }
  // The program shares memory with these ranks of its node by loads and stores: leave() then returns in clock order.
  void shares_memory_with(std::vector<int> others) { sharers_ = std::move(others); }
  // The program computes without calling: Scheduler::promise().
  Instant promise(Instant most) { return scheduler_.promise(most); }
  // Begins to record. The recorder outlives the rank.
  void record(record::Recorder& recorder) { core_.recorder = &recorder; }
  // Begins to record the requests of the program. The writer outlives the rank.
  void keep(record::ProgramWriter& program) { core_.program = &program; }
  // Records the failure of the node for good: the last record.
  void record_failure();
  // From here on several threads may call concurrently, with `monitor`, which outlives the rank.
  void share(Monitor& monitor);
  // Work as in measured() and declared(), of a thread that began it at instant `since`. It overlaps with what the rank
  // has done since then.
  [[nodiscard]] bool worked(Instant since, Interval work);
  // The instant that the rank would reach by this work alone.
  Instant reaches(Instant since, Interval work) const {
    return cpu_.done(work, since, core_.clock.outages().end()).at;
  }
  // A call of a thread that was assumed to compute until `until`.
  void computed_until(Instant until);
  // The program did work that takes the reference CPU the time `work`, as measured or as declared. Returns false, without moving
  // the clock, if the rank's CPU never completes the work because it stops for ever.
  [[nodiscard]] bool measured(Interval work);
  [[nodiscard]] bool declared(Interval work) {
    if (core_.program) [[unlikely]]
      core_.program->work(work, false);
    if (cpu_.jitter().deviation != 0) [[unlikely]]
      work = cpu_.jitter().of(work, core_.number, pieces_++);
    return compute(work);
  }
  // The rank does nothing more. Returns once no other rank can act before this rank's clock, and no rank of a lower
  // number at that instant.
  void wait_until_first() { scheduler_.wait_until_first(size()); }
  // The program reads the clock. The result is the instant of the call. The reading costs a poll, so a program that
  // only reads sees the clock move.
  Instant read_clock();

  // --- point-to-point. Peers are ranks in `comm`, or proc_null; receives also take any_source and any_tag. The
  // status reports the failure of another rank.
  Status send(const Communicator& comm, int to, int tag, const Buffer& data, Mode mode = Mode::standard);
  Status receive(const Communicator& comm, int from, int tag, const Buffer& into);
  Status send_receive(const Communicator& comm, int to, int send_tag, const Buffer& data, int from,
                      int receive_tag, const Buffer& into);
  Request* isend(const Communicator& comm, int to, int tag, const Buffer& data, Mode mode = Mode::standard);
  Request* ireceive(const Communicator& comm, int from, int tag, const Buffer& into);
  // isend and ireceive under one request.
  std::unique_ptr<Exchange> exchange(const Communicator& comm, int to, int send_tag, const Buffer& data,
                                     int from, int receive_tag, const Buffer& into);
  // A request that the program completes, or an operation that begins later.
  std::unique_ptr<Deferred> deferred() {
    chooses(record::Choice::background);
    return std::make_unique<Deferred>(core_, operations_, pool_, scheduler_);
  }
  // Frees a complete or an incomplete request. An incomplete request ends in the background.
  void free(Request* request) {
    if (core_.program) [[unlikely]]
      core_.program->free(request);
    operations_.free(request);
  }
  // The program may never complete the receive, though it was not freed: its data go to its buffer as soon as they
  // arrive.
  void lose(Request* receive) { point_to_point_.lose(receive); }

  // The program sleeps for `d`, independently of the CPU's speed.
  void sleep(Interval d);
  // The job is over: threads that sleep return, and recording ends.
  void end_sleeps();

  // --- files: the storage transfers `bytes`. access() returns at the end of the transfer; the request of
  // start_access() is then complete, with `status`.
  void access(model::Bytes bytes);
  // The storage serves no access before `until`.
  void storage_busy_until(Instant until);
  Request* start_access(model::Bytes bytes, const Status& status);

  // --- completion (rank/protocols/completion.h). Null entries do not count. The caller frees the requests after it
  // has read their status; requests in doubt (E5) remain incomplete.
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
  // The status of the request says whether it was cancelled.
  void cancel(Request* request) {
    chooses(record::Choice::cancel);
    completion_.cancel(request);
  }
  // Cancels sends. All ranks of the job must have called begin_withdrawals() first; otherwise sends remain unchanged.
  void begin_withdrawals() { withdrawals_.begin(); }
  void withdraw(Request* send) {
    chooses(record::Choice::cancel);
    withdrawals_.ask(send);
  }
  // A matched probe (`taken`) also takes the message from the queue, for ireceive().
  Status probe(const Communicator& comm, int from, int tag, match::Message** taken = nullptr) {
    chooses(record::Choice::probe);
    return completion_.probe(comm, from, tag, taken);
  }
  std::optional<Status> iprobe(const Communicator& comm, int from, int tag,
                               match::Message** taken = nullptr) {
    chooses(record::Choice::probe);
    return completion_.iprobe(comm, from, tag, taken);
  }
  // Receives the message that a matched probe has taken.
  Request* ireceive(match::Message* taken, const Buffer& into) {
    return point_to_point_.start_receive(taken, into);
  }

  // --- collective operations (rank/protocols/collective.h, rank/protocols/agreements.h)
  // The program begins a blocking collective. `root` and `bytes` (-1: none) must be equal at all members, which
  // the deadlock report checks.
  void joins(Communicator& comm, int root, model::Bytes bytes) {
    core_.deadlock_report.joins({core_.call, comm.context, comm.world[0], ++comm.joined, root, bytes});
  }
  // Carries out a schedule with messages of tag `tag`. Returns the failed rank that broke it; -1: none did. `lengths`,
  // if given: whether the members' lengths are equal.
  [[nodiscard]] int run(const Communicator& comm, int tag, const model::Schedule& schedule,
                        const Memory& memory, Lengths* lengths = nullptr);
  [[nodiscard]] int run(const Communicator& comm, const model::Schedule& schedule, const Memory& memory) {
    return run(comm, comm.round, schedule, memory);
  }
  // As run(), in the background.
  std::unique_ptr<Background> start(const Communicator& comm, int tag, const model::Schedule& schedule,
                                    const Memory& memory, const Named& named = {});
  Agreement agree(Communicator& comm, int flag, match::Context name = 0) {
    chooses(record::Choice::agreement);
    return agreements_.agree(comm, flag, name);
  }
  // Charges an agreement about `bytes` among the remaining members, `members`.
  void pay_agreement(const Communicator& members, model::Bytes bytes);

  // --- one-sided (rank/protocols/windows.h)
  Windows& windows() {
    chooses(record::Choice::one_sided);
    return windows_;
  }
  // Returns when no result is awaited any more from `from`, in MPI_COMM_WORLD, or from
  // any rank (-1). The value is a rank that failed before it had answered; -1: none did.
  [[nodiscard]] int wait_for_answers(match::Context window, int from);
  // Returns `rank`, in MPI_COMM_WORLD, if it is known to have failed; otherwise -1.
  int known_failed(int rank) const { return core_.failures.known(rank) > now() ? -1 : rank; }
  // This rank does nothing more. Returns once operations of other ranks on its memory up to its clock have taken
  // effect.
  void serve_last() {
    if (window_server_.serving()) scheduler_.settle({.everyone = true});
  }
  // As serve_last(), up to any instant: returns once no rank will operate on this rank's memory any more.
  void serve_out() {
    if (window_server_.serving()) scheduler_.settle({.everyone = true}, Instant::last());
  }
  // Returns once all operations on this rank's memory that have arrived by the clock have taken effect. Costs a poll,
  // so the clock moves in a loop that waits for writes of other ranks.
  void synchronize();
  // A collective operation that the caller carries out step by step. Its messages, with this context, follow in this
  // call. copies(), combines() and allocates() charge a copy, a predefined reduction, and temporary memory.
  void begins_collective(match::Context context) {
    collective_ = context;
    if (core_.recorder) core_.recorder->collective(context);
  }
  void copies(model::Bytes bytes);
  void combines(model::Bytes bytes);
  void allocates(model::Bytes bytes, model::Bytes largest);
  // Copies results that have arrived to the origin buffers, if many bytes are awaited. Nothing happens in virtual time.
  void drain_results();

  // Complete pending handshakes: finish_buffered() those of buffered sends, before their buffer is released; finish()
  // those of all sends, when the program has finished. Sends to ranks that fail are not awaited if the program has
  // freed their requests.
  void finish_buffered();
  void finish();

 private:
  bool compute(Interval work);
  // Ends a request that the program does not see, after a wait for it.
  Status end(Request* request);
  // For the record of the program: the call asks for something that another target may answer otherwise.
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
  void keep_choice(Requests requests, record::Choice choice);
  void keep_wait(Requests requests);
  void keep_send(const void* request, const Communicator& comm, int to, int tag, model::Bytes bytes,
                 Mode mode);

  Core core_;
  match::Bounds& bounds_;
  const model::Speed cpu_;
  match::Queue queue_;
  Ingress ingress_;
  RequestPool pool_;
  Egress egress_;
  Rendezvous rendezvous_;
  std::vector<Request*> asleep_;  // sleeps of threads
  WindowServer window_server_;
  Windows windows_;
  PointToPoint point_to_point_;
  TimedRequests timed_;
  RankOperations operations_;
  Withdrawals withdrawals_;
  Scheduler scheduler_;
  Completion completion_;
  Agreements agreements_;

  std::vector<int> sharers_;       // ranks that share memory with this one, in clock order
  std::uint64_t pieces_ = 0;       // number of declared pieces of work, if they vary
  match::Context collective_ = 0;  // of the collective operation that the caller carries out step by step
  bool computing_ = false;         // true also in a call that declares work, or whose operation computes
};

}  // namespace emu::rank
