#include <sys/resource.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "base/units.h"
#include "fiber/job.h"
#include "match/checked_wire.h"
#include "record/recorder.h"
#include "schedule/play.h"
#include "schedule/rank_calls.h"

namespace emu::app::schedules {
namespace {

struct NodeFailed {};  // thrown through a rank whose node has failed for good

constexpr std::size_t most_named = 32;  // operations in the report of a deadlock

// A trace has an open file for each rank.
void allow_files() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

class Run {
 public:
  Run(const Schedule& schedule, const target::Target& target, std::string trace)
      : schedule_(schedule),
        target_(target),
        trace_(std::move(trace)),
        network_(target.network, target.topology(schedule.ranks())),
        places_(target.place(schedule.ranks())),
        failures_(target.failures(schedule.ranks())),
        job_(network_, schedule.ranks(), {.contents = false}),
        ranks_(schedule.parts.size()) {}

  Result<record::RunSummary> operator()() {
    if (!trace_.empty()) allow_files();
    const auto ended = job_.run([this](int number) { play(number); });
    if (!ended) return fail(ended.error().message + lines());
    record::RunSummary run;
    run.target = target_.name;
    bool any = false;
    Instant last;
    for (int number = 0; number < schedule_.ranks(); ++number) {
      run.ranks.push_back(job_.summary(number));
      any = any || !run.ranks.back().failed;
      last = std::max(last, run.ranks.back().finish);
    }
    run.resources = job_.resource_uses(run.predicted());
    if (!any)
      return fail("every rank failed with its node, the last one at " + format(last - Instant::start(), 9) +
                  ": nothing is left to predict");
    return run;
  }

 private:
  // Survives the fiber, for the report of a deadlock.
  struct Rank {
    std::unique_ptr<rank::Rank> rank;
    std::unique_ptr<RankCalls> calls;
    std::unique_ptr<goal::Player> player;
  };

  // Of several ranks the first in virtual time says what ends the job.
  [[noreturn]] void stop(int number, const std::string& why) {
    ranks_[static_cast<std::size_t>(number)].rank->await_turn();
    job_.stop(why);
  }

  rank::Node node_of(int number) {
    const int node = places_[static_cast<std::size_t>(number)];
    rank::Node own;
    own.cpu = target_.speed(node, schedule_.ranks());
    own.outages = target_.outages_of(node);
    own.failures = failures_;
    own.failed = [] { throw NodeFailed(); };
    own.noticed = target_.on_failure == target::OnFailure::error;
    own.overrun = [this, number](Instant before) {
      stop(number, "rank " + std::to_string(number) + " at " + format(before - Instant::start(), 9) +
                       ": what it does would end after 53 days, the longest virtual time there is; in the "
                       "target file let that cost less, or let the schedule do less");
    };
    own.storage = target_.storage;
    own.loses = !target_.outages.empty();
    return own;
  }

  std::unique_ptr<record::Recorder> recorder(int number) {
    if (trace_.empty()) return nullptr;
    const int node = places_[static_cast<std::size_t>(number)];
    const record::Header header{
        number,       schedule_.ranks(),
        target_.name, std::filesystem::path(schedule_.path).filename().string(),
        node,         target_.nodes[static_cast<std::size_t>(target_.group_of(node))].name};
    auto made =
        record::Recorder::create(trace_, header, [this](const std::string& message) { job_.stop(message); });
    if (!made) job_.stop(made.error().message);
    const model::Outages outages = target_.outages_of(node);
    for (const model::Outage& outage : outages.list())
      if (!outage.for_good()) (*made)->outage(outage.from, outage.until);
    return std::move(*made);
  }

  record::RankSummary summary(const rank::Rank& rank) const {
    return {rank.now(), rank.clock().breakdown(), rank.clock().path(), rank.messages_sent(),
            rank.bytes_sent()};
  }

  // What a process of apps/goal does from MPI_Init to MPI_Finalize.
  void play(int number) {
    match::CheckedWire<fiber::FiberWire> checked(
        job_.wire(number), match::Invariants(number, schedule_.ranks(), network_.lookahead()),
        [this, number](const match::Violation& broken) {
          job_.stop(match::describe(broken, number, "", ""));
        });
    Rank& own = ranks_[static_cast<std::size_t>(number)];
    own.rank = std::make_unique<rank::Rank>(number, schedule_.ranks(), network_, checked, node_of(number));
    const auto recorder = this->recorder(number);
    if (recorder) own.rank->record(*recorder);
    own.calls =
        std::make_unique<RankCalls>(*own.rank, [this, number](const std::string& why) { stop(number, why); });
    own.player = std::make_unique<goal::Player>(schedule_.parts[static_cast<std::size_t>(number)],
                                                schedule_.unit, *own.calls);
    job_.finish(number, play(own, recorder.get()));
    own = {};
  }

  record::RankSummary play(Rank& own, record::Recorder* recorder) {
    rank::Rank& rank = *own.rank;
    std::optional<record::RankSummary> end;
    try {
      rank.start();
      rank.leave();
      own.player->play();
      rank.enter("MPI_Finalize");
      end = summary(rank);
      if (recorder) recorder->finish(end->finish, end->path);
      rank.finish();
    } catch (const NodeFailed&) {
      // What follows gives its turn away, which nobody may while an exception is handled.
    }
    if (!end) end = fail_with_node(rank);
    if (recorder) recorder->close();
    return *end;
  }

  record::RankSummary fail_with_node(rank::Rank& rank) {
    record::RankSummary end = summary(rank);
    end.failed = true;
    if (target_.on_failure == target::OnFailure::abort)
      stop(rank.number(), "rank " + std::to_string(rank.number()) + " failed at " +
                              format(end.finish - Instant::start(), 9) +
                              " with its node, and on_failure is \"abort\"");
    rank.record_failure();
    return end;
  }

  // Where ranks that will never act again are in the file.
  std::string lines() const {
    std::vector<Place> places;
    for (const int number : job_.stuck()) {
      const Rank& rank = ranks_[static_cast<std::size_t>(number)];
      if (!rank.player || places.size() == most_named) continue;
      const std::vector<int>& under_way = rank.calls->under_way();
      if (rank.player->at() >= 0)
        places.push_back({number, rank.player->at()});
      else if (!under_way.empty())
        places.push_back({number, under_way.front()});
    }
    std::string text;
    const std::vector<std::string> words = describe(schedule_.path, places);
    for (std::size_t i = 0; i < words.size(); ++i)
      text += "\n  rank " + std::to_string(places[i].rank) + ": " + words[i];
    return text;
  }

  const Schedule& schedule_;
  const target::Target& target_;
  const std::string trace_;
  const model::Network network_;
  const std::vector<int> places_;
  const std::vector<Instant> failures_;
  fiber::Job job_;
  std::vector<Rank> ranks_;
};

}  // namespace

Result<record::RunSummary> play_on_fibers(const Schedule& schedule, const target::Target& target,
                                          const std::string& trace) {
  return Run(schedule, target, trace)();
}

}  // namespace emu::app::schedules
