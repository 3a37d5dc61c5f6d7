#include <filesystem>
#include <memory>

#include "fibers/fiber_run.h"
#include "schedule/play.h"
#include "schedule/rank_calls.h"

namespace emu::app::schedules {
namespace {

constexpr std::size_t most_named = 32;  // operations in the report of a deadlock

// A schedule as the program of a fiber job, like the processes of apps/goal.
class Playing final : public fibers::Program {
 public:
  explicit Playing(const Schedule& schedule) : schedule_(schedule), ranks_(schedule.parts.size()) {}

  int ranks() const override { return schedule_.ranks(); }
  std::string name() const override { return std::filesystem::path(schedule_.path).filename().string(); }

  void play(const fibers::Self& self) override {
    const auto number = static_cast<std::size_t>(self.rank().number());
    std::string exceeded;
    try {
      ranks_[number] = std::make_unique<Rank>(self, schedule_.parts[number], schedule_.unit);
      ranks_[number]->player.play();
    } catch (const goal::Stream::Exceeded& e) {
      exceeded = e.message;
    }
    // Called outside the handler, because it switches fibers.
    if (!exceeded.empty()) self.stop(exceeded);
    ranks_[number].reset();
  }

  // The ranks' places in the file.
  std::string places(const std::vector<int>& stuck) const override {
    std::vector<Place> places;
    for (const int number : stuck) {
      const Rank* const rank = ranks_[static_cast<std::size_t>(number)].get();
      if (!rank || places.size() == most_named) continue;
      const std::vector<int>& under_way = rank->calls.under_way();
      if (rank->player.at() >= 0)
        places.push_back({number, rank->player.at()});
      else if (!under_way.empty())
        places.push_back({number, under_way.front()});
    }
    std::string text;
    const std::vector<std::string> words = describe(schedule_.path, places);
    for (std::size_t i = 0; i < words.size(); ++i)
      text += "\n  rank " + std::to_string(places[i].rank) + ": " + words[i];
    return text;
  }

 private:
  struct Rank {
    Rank(const fibers::Self& self, const goal::Part& part, std::int64_t unit)
        : calls(self), player(part, unit, calls) {}
    RankCalls calls;
    goal::Player player;
  };

  const Schedule& schedule_;
  std::vector<std::unique_ptr<Rank>>
      ranks_;  // of ranks that have not finished; they survive their fibers, for the report of a deadlock
};

}  // namespace

Result<record::RunSummary> play_on_fibers(const Schedule& schedule, const target::Target& target,
                                          const std::string& trace) {
  Playing playing(schedule);
  return fibers::FiberRun(playing, target, trace)();
}

}  // namespace emu::app::schedules
