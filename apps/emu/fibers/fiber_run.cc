#include "fibers/fiber_run.h"

#include <sys/resource.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/units.h"
#include "match/checked_wire.h"
#include "target/algorithms.h"

namespace emu::app::fibers {
namespace {

// A trace has an open file for each rank.
void allow_files() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

std::string when(Instant at) { return format(at - Instant::start(), 9); }

record::RankSummary summary(const rank::Rank& rank) {
  return {rank.now(), rank.clock().breakdown(), rank.clock().path(), rank.messages_sent(), rank.bytes_sent()};
}

constexpr rank::Layout nothing_inside{
    [](const rank::Buffer&, std::byte*) {},
    [](const rank::Buffer&, const std::byte*, model::Bytes) { return true; }, nullptr};

}  // namespace

rank::Buffer bytes_only(model::Bytes bytes) { return {nullptr, bytes, &nothing_inside, 0, 0}; }

// --- a rank

void Self::stop(const std::string& why) const { run_.stop(number_, why); }

void Self::compute(Interval work, bool measured) const {
  if (measured ? rank_->measured(work) : rank_->declared(work)) return;
  stop("starvation: rank " + std::to_string(number_) + " computes from " + when(rank_->now()) +
       " on, and its node is too slow for that, or its speed stays 0; in the target file, raise speed, or "
       "end the event with speed 0 by `until`");
}

void Self::check(const char* call, const rank::Status& status, model::Bytes room) const {
  const std::string who = "rank " + std::to_string(number_) + ": " + call + ": ";
  if (status.failed >= 0)
    stop(who + "rank " + std::to_string(status.failed) + " failed at " +
         when(rank_->failures().at(status.failed)) + " with its node, noticed at " + when(rank_->now()));
  if (status.truncated)
    stop(who + "message truncated: " + counted(status.bytes, "byte") + " from rank " +
         std::to_string(status.source) + ", tag " + std::to_string(status.tag) + ", for a receive of " +
         counted(room, "byte"));
}

// --- the job

FiberRun::FiberRun(Program& program, const target::Target& target, std::string trace, std::size_t stack_bytes)
    : program_(program),
      target_(target),
      trace_(std::move(trace)),
      network_(target.network, target.topology(program.ranks())),
      places_(target.place(program.ranks())),
      failures_(target.failures(program.ranks())),
      job_(network_, program.ranks(), {.contents = false, .stack_bytes = stack_bytes}),
      ranks_(static_cast<std::size_t>(program.ranks())) {}

Result<record::RunSummary> FiberRun::operator()() {
  if (!trace_.empty()) allow_files();
  const auto ended = job_.run([this](int number) { play(number); });
  if (!ended) return fail(ended.error().message + program_.places(job_.stuck()));
  record::RunSummary run;
  run.target = target_.name;
  bool any = false;
  Instant last;
  for (int number = 0; number < program_.ranks(); ++number) {
    run.ranks.push_back(job_.summary(number));
    any = any || !run.ranks.back().failed;
    last = std::max(last, run.ranks.back().finish);
  }
  run.resources = job_.resource_uses(run.predicted());
  if (!any)
    return fail("every rank failed with its node, the last one at " + when(last) +
                ": nothing is left to predict");
  return run;
}

void FiberRun::stop(int number, const std::string& why) {
  ranks_[static_cast<std::size_t>(number)]->rank().wait_until_first();
  job_.stop(why);
}

rank::Node FiberRun::node_of(int number) {
  const int node = places_[static_cast<std::size_t>(number)];
  rank::Node own;
  own.cpu = target_.speed(node, program_.ranks());
  own.outages = target_.outages_of(node);
  own.failures = failures_;
  own.failed = [] { throw NodeFailed(); };
  own.noticed = target_.on_failure == target::OnFailure::error;
  own.overrun = [this, number](Instant before) {
    stop(number, "rank " + std::to_string(number) + " at " + when(before) +
                     ": this action would end after 53 days, the longest virtual time there is (expected "
                     "lower costs in the target, or less work)");
  };
  own.storage = target_.storage;
  own.loses = !target_.outages.empty();
  return own;
}

void FiberRun::open_trace(Self& self) {
  if (trace_.empty()) return;
  const int number = self.number_;
  const int node = places_[static_cast<std::size_t>(number)];
  const record::Header header{
      number,       program_.ranks(),
      target_.name, program_.name(),
      node,         target_.nodes[static_cast<std::size_t>(target_.group_of(node))].name};
  const auto stop = [this](const std::string& message) { job_.stop(message); };
  auto made = record::Recorder::create(trace_, header, stop);
  if (!made) job_.stop(made.error().message);
  const model::Outages outages = target_.outages_of(node);
  for (const model::Outage& outage : outages.list())
    if (!outage.for_good()) (*made)->outage(outage.from, outage.until);
  self.recorder_ = std::move(*made);
  self.rank().record(*self.recorder_);
  auto program = record::ProgramWriter::create(trace_,
                                               {number, program_.ranks(), target_.name, program_.name(),
                                                target::ways_of_collectives(target_, program_.ranks())},
                                               stop);
  if (!program) job_.stop(program.error().message);
  self.program_ = std::move(*program);
  self.rank().keep(*self.program_);
}

void FiberRun::play(int number) {
  match::CheckedWire<fiber::FiberWire> checked(
      job_.wire(number), match::Invariants(number, program_.ranks(), network_.lookahead()),
      [this, number](const match::Violation& broken) { job_.stop(match::describe(broken, number, "", "")); });
  auto& self = ranks_[static_cast<std::size_t>(number)] = std::make_unique<Self>(*this, number);
  self->rank_ = std::make_unique<rank::Rank>(number, program_.ranks(), network_, checked, node_of(number));
  open_trace(*self);
  job_.finish(number, play(*self));
  self.reset();
}

record::RankSummary FiberRun::play(const Self& self) {
  rank::Rank& rank = self.rank();
  record::Recorder* const recorder = self.recorder();
  std::optional<record::RankSummary> end;
  try {
    rank.start();
    rank.leave();
    program_.play(self);
    rank.enter("MPI_Finalize");
    end = summary(rank);
    if (recorder) recorder->finish(end->finish, end->path);
    if (self.program()) self.program()->finish();
    rank.finish();
  } catch (const NodeFailed&) {
    // The end of the rank follows outside the handler: it switches fibers, which is not allowed in a handler.
  }
  if (!end) end = fail_with_node(self);
  if (recorder) recorder->close();
  return *end;
}

record::RankSummary FiberRun::fail_with_node(const Self& self) {
  record::RankSummary end = summary(self.rank());
  end.failed = true;
  if (target_.on_failure == target::OnFailure::abort)
    self.stop("rank " + std::to_string(self.rank().number()) + " failed at " + when(end.finish) +
              " with its node, and on_failure is \"abort\"");
  self.rank().record_failure();
  return end;
}

}  // namespace emu::app::fibers
