#include "rank/rank.h"

#include <array>
#include <utility>

#include "model/collectives.h"

namespace emu::rank {

Rank::Rank(int number, int size, const model::Network& network, match::Wire& wire, Node node)
    : core_(number, size, network, wire, Failures(std::move(node.failures), node.noticed, network, number),
            clock::Clock(std::move(node.outages), std::move(node.failed), std::move(node.overrun)),
            node.storage),
      bounds_(wire),
      cpu_(std::move(node.cpu)),
      queue_(size),
      ingress_(wire, queue_),
      egress_(core_),
      rendezvous_(core_, egress_, pool_),
      window_server_(core_, egress_),
      windows_(core_, egress_, pool_, window_server_),
      point_to_point_(core_, queue_, pool_, egress_, rendezvous_, window_server_, windows_),
      timed_(core_, pool_),
      operations_(core_, pool_, point_to_point_, timed_, windows_),
      withdrawals_(core_, queue_, egress_, pool_, rendezvous_, windows_, point_to_point_),
      scheduler_(number, network, wire, core_.clock, queue_, ingress_, core_.horizon, point_to_point_,
                 core_.call),
      completion_(core_, scheduler_, operations_, queue_, withdrawals_),
      agreements_(core_, operations_, completion_) {
  core_.loses = node.loses;
  scheduler_.add(rendezvous_);
  scheduler_.add_server(window_server_);
  scheduler_.add(windows_);
}

// --- between calls

bool Rank::measured(Interval work) {
  if (core_.program) [[unlikely]]
    core_.program->work(work, true);
  if (work > core_.network.poll()) core_.polling.computed();  // shorter work belongs to the polling loop
  return compute(work);
}

void Rank::share(Monitor& monitor) {
  chooses(record::Choice::threads);
  scheduler_.share(monitor);
  monitor.at_switches(
      [this] {
        if (core_.recorder) core_.recorder->leave();
      },
      [this](const char* call) {
        core_.call = call;
        if (core_.recorder) core_.recorder->enter(call, now());
      });
}

// The remaining work at the clock, in proportion to the remaining time: exact if the speed is constant.
bool Rank::worked(Instant since, Interval work) {
  if (work == Interval()) return true;
  chooses(record::Choice::processes);
  if (work > core_.network.poll()) core_.polling.computed();
  if (since == now()) return compute(work);
  const Instant at = cpu_.done(work, since, core_.clock.outages().end()).at;
  if (at.is_never()) return false;
  if (at <= now()) return true;
  if (work > core_.network.poll()) core_.polling.worked(work, core_.network.poll());
  const __int128 left = static_cast<__int128>(work.picoseconds()) * (at - now()).picoseconds();
  return compute(Interval::picoseconds(static_cast<std::int64_t>(left / (at - since).picoseconds())));
}

void Rank::computed_until(Instant until) {
  if (until <= now()) return;
  chooses(record::Choice::threads);
  record::Path way = core_.clock.path();
  way.compute += until - now();
  core_.polling.computed();
  core_.polling.worked(until - now(), core_.network.poll());
  core_.clock.wait_until(until, way);
}

Instant Rank::read_clock() {
  const Instant read = now();
  if (core_.program) [[unlikely]]
    core_.program->clock();
  completion_.charge_poll();
  return read;
}

[[gnu::hot]] bool Rank::compute(Interval work) {
  const model::Speed::Done done = cpu_.done(work, now(), core_.clock.outages().end());
  if (done.at.is_never()) return false;
  if (work > core_.network.poll()) core_.polling.worked(work, core_.network.poll());
  computing_ = true;
  core_.clock.compute(work, done);
  computing_ = false;
  return true;
}

// A wait during computation is not attributed to any MPI call.
void Rank::record_failure() {
  if (!core_.recorder) return;
  if (computing_) core_.recorder->leave();
  core_.recorder->failed(now(), core_.clock.path(), core_.clock.met(), egress_.waited_for_gap(),
                         core_.clock.take_late());
}

// --- point-to-point

[[gnu::hot]] Request* Rank::isend(const Communicator& comm, int to, int tag, const Buffer& data, Mode mode) {
  Request* const r = point_to_point_.start_send(comm.context, comm, to, tag, data, mode);
  if (core_.program) [[unlikely]]
    keep_send(r, comm, to, tag, data.bytes, mode);
  return r;
}

void Rank::keep_send(const void* request, const Communicator& comm, int to, int tag, model::Bytes bytes,
                     Mode mode) {
  if (comm.series != 0) chooses(record::Choice::background);
  if (to != proc_null)
    core_.program->send(request, comm.context, comm.world[to], tag, bytes, static_cast<int>(mode));
}

void Rank::keep_wait(Requests requests) {
  const std::vector<const void*> all(requests.begin(), requests.end());
  core_.program->wait(all);
}

// A wait for any of several requests chooses nothing if only one of them is active.
void Rank::keep_choice(Requests requests, record::Choice choice) {
  std::vector<Request*> over;
  int active = 0;
  for (Request* const r : requests) {
    active += r ? 1 : 0;
    if (r && r->complete()) over.push_back(r);
  }
  if (choice != record::Choice::any_request || active > 1) core_.program->choice(choice);
  keep_wait(over);
}

[[gnu::hot]] Request* Rank::ireceive(const Communicator& comm, int from, int tag, const Buffer& into) {
  completion_.settle(comm, from);
  Request* const r = point_to_point_.start_receive(comm.context, comm, from, tag, into);
  if (core_.program && from != proc_null) [[unlikely]]
    core_.program->receive(r, comm.context, from == match::any_source ? -1 : comm.world[from], tag,
                           into.bytes);
  return r;
}

[[gnu::hot]] Status Rank::send(const Communicator& comm, int to, int tag, const Buffer& data, Mode mode) {
  if (const int failed = point_to_point_.known_failed(comm, to); failed >= 0) return Status{.failed = failed};
  if (core_.program) [[unlikely]]
    keep_send(this, comm, to, tag, data.bytes, mode);
  if (point_to_point_.send_eagerly(comm.context, comm, to, tag, data, mode)) {
    if (core_.program) [[unlikely]]
      core_.program->wait(std::array<const void*, 1>{this});
    return {};
  }
  if (core_.program) [[unlikely]]
    core_.program->wait(std::array<const void*, 1>{this});
  Request* const r = point_to_point_.start_rendezvous(comm.context, comm, to, tag, data, mode);
  wait_all({&r, 1});
  const Status status = r->status;
  free(r);
  return status;
}

[[gnu::hot]] Status Rank::receive(const Communicator& comm, int from, int tag, const Buffer& into) {
  Request* const r = ireceive(comm, from, tag, into);
  wait_all({&r, 1});
  return end(r);
}

// A receive that is only in doubt is cancelled. If it has answered a request since, its data still come.
[[gnu::hot]] Status Rank::end(Request* r) {
  if (r->complete()) [[likely]] {
    const Status status = r->status;
    free(r);
    return status;
  }
  const Status status{.failed = r->doubt};
  if (core_.program) core_.program->free(r);
  operations_.drop(r);
  return status;
}

Status Rank::send_receive(const Communicator& comm, int to, int send_tag, const Buffer& data, int from,
                          int receive_tag, const Buffer& into) {
  Request* const both[] = {ireceive(comm, from, receive_tag, into), isend(comm, to, send_tag, data)};
  wait_all(both);
  Status status = end(both[0]);
  const Status sent = end(both[1]);
  if (status.failed < 0) status.failed = sent.failed;
  return status;
}

// --- sleeping

// Unless other threads may act meanwhile, the rank handles no messages during a sleep.
void Rank::sleep(Interval d) {
  if (core_.program) [[unlikely]]
    core_.program->sleep(d);
  if (scheduler_.shared()) {
    Request* const over = timed_.start_sleep(d);
    asleep_.push_back(over);
    completion_.wait_all({&over, 1});
    std::erase(asleep_, over);
    return free(over);
  }
  const Access pause = core_.asleep(d);
  core_.clock.wait_until(pause.done, pause.path);
  if (core_.recorder) core_.recorder->waited(now(), pause.what);
}

void Rank::end_sleeps() {
  core_.recorder = nullptr;
  core_.program = nullptr;
  for (Request* const r : asleep_) r->finish();
  scheduler_.call_others();
}

// --- files

// The program waits in the system for the access, so the rank handles no messages meanwhile.
void Rank::access(model::Bytes bytes) {
  chooses(record::Choice::file);
  core_.polling.interrupted();
  const Access access = core_.storage.begin(core_.clock, bytes);
  core_.clock.wait_until(access.done, access.path);
  if (core_.recorder) core_.recorder->waited(now(), access.what);
}

void Rank::storage_busy_until(Instant until) {
  if (until <= now()) return;
  record::Path way = core_.clock.path();
  const Interval others = until - now();
  const std::int64_t rate = core_.storage.model().per_byte.femtoseconds_per_byte();
  way.store(others, 0,
            rate > 0 ? 1000.0 * static_cast<double>(others.picoseconds()) / static_cast<double>(rate) : 0);
  core_.storage.wait_for(until, way);
}

Request* Rank::start_access(model::Bytes bytes, const Status& status) {
  chooses(record::Choice::file);
  Request* const request = timed_.start_access(bytes);
  request->status = status;
  return request;
}

// --- of several ranks

int Rank::run(const Communicator& comm, int tag, const model::Schedule& schedule, const Memory& memory,
              Lengths* lengths) {
  Collective collective(core_, operations_, comm, tag, schedule, memory);
  collective.start();
  completion_.wait(collective, [&] { return collective.done(); });
  if (lengths) *lengths = collective.lengths();
  return collective.failed();
}

std::unique_ptr<Background> Rank::start(const Communicator& comm, int tag, const model::Schedule& schedule,
                                        const Memory& memory, const Named& named) {
  chooses(record::Choice::background);
  core_.polling.interrupted();
  return std::make_unique<Background>(core_, operations_, pool_, scheduler_, comm, tag, schedule, memory,
                                      named);
}

std::unique_ptr<Exchange> Rank::exchange(const Communicator& comm, int to, int send_tag, const Buffer& data,
                                         int from, int receive_tag, const Buffer& into) {
  chooses(record::Choice::background);
  Request* const receive = ireceive(comm, from, receive_tag, into);
  return std::make_unique<Exchange>(core_, operations_, pool_, scheduler_, isend(comm, to, send_tag, data),
                                    receive, into.bytes);
}

void Rank::pay_agreement(const Communicator& members, model::Bytes bytes) {
  const auto ignore = [](void*, const std::byte*, std::byte*, model::Bytes) {};
  std::vector<std::byte> input(static_cast<std::size_t>(bytes)), output(input.size());
  (void)run(members, members.round,
            model::allreduce(members.rank, members.size(), model::Reduction{bytes / 8, 8, true, true}),
            Memory{input.data(), output.data(), ignore, nullptr});
}

// --- work of collectives

void Rank::copies(model::Bytes bytes) {
  const Instant before = now();
  core_.charge_copy(bytes);
  core_.record_work(before, collective_);
}

void Rank::combines(model::Bytes bytes) {
  const Instant before = now();
  core_.charge_reduction(bytes);
  core_.record_work(before, collective_);
}

void Rank::allocates(model::Bytes bytes, model::Bytes largest) {
  const Instant before = now();
  core_.charge_memory(bytes, largest);
  core_.record_work(before, collective_);
}

// --- one-sided

int Rank::wait_for_answers(match::Context window, int from) {
  AnswersGoal goal(core_, windows_, window, from);
  completion_.wait(goal, [&] { return goal.done(); });
  return goal.failed();
}

// Every awaited rank that has carried out the operations requested up to this rank's clock has also sent the results.
void Rank::drain_results() {
  if (!windows_.over_budget()) return;
  const std::vector<int> from = windows_.awaited_from();
  scheduler_.settle({false, from});
  windows_.unload();
}

void Rank::synchronize() {
  chooses(record::Choice::one_sided);
  // The poll comes first, so that all operations up to the clock have taken effect on return, whatever the real time
  // is.
  completion_.charge_poll();
  core_.polling.interrupted();
  SyncGoal goal;
  const Instant limit = now();
  while (const auto event = scheduler_.next(goal, limit)) core_.handle(*event);
}

// --- the end

void Rank::finish_buffered() {
  if (core_.program) [[unlikely]]
    core_.program->buffered();
  std::vector<Request*> left = rendezvous_.buffered();
  RequestsGoal goal(core_, operations_, left);
  while (!left.empty()) {
    core_.handle(*scheduler_.next(goal));
    left = rendezvous_.buffered();
    goal.narrow(left);
  }
}

void Rank::finish() {
  RequestsGoal nothing(core_, operations_, {});
  while (!rendezvous_.idle()) {
    const std::optional<Event> event = scheduler_.next(nothing, rendezvous_.last_answer());
    if (!event) return;
    core_.handle(*event);
  }
}

}  // namespace emu::rank
