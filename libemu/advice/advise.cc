#include "advice/advise.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace emu::advice {
namespace {

// A safer plan is advised only if it takes longer by at most this share without a disturbance.
constexpr double most_slower = 0.035;
// A way to deal whose time is above this multiple of the least one needs no exact time.
constexpr double worth_a_look = 1.15;

class Search {
 public:
  Search(const Rest& rest, const std::vector<Worker>& workers, double disturbance)
      : rest_(rest), workers_(workers), disturbance_(disturbance) {}

  Advice best() {
    for (std::size_t rule = 0; rule < rules_to_choose_from; ++rule) add({static_cast<Rule>(rule)});
    const double part = rest_.iterations() / static_cast<double>(workers_.size());
    // Chunks of one size, and chunks that shrink at the end from at most that size: from large sizes to small ones,
    // until these are slower. An equal part is a whole number of chunks: other sizes leave workers without a chunk at
    // the end.
    for (const Rule rule : {Rule::self, Rule::weighted}) {
      int slower = 0;
      for (double rounds = 1.5; rounds < 2 * part && slower < 3; rounds *= rounds < 2 ? 4.0 / 3 : 1.25) {
        const auto most = static_cast<std::int32_t>(std::ceil(part / (std::round(2 * rounds) / 2)));
        const double seconds = add({rule, rule == Rule::self ? most : 1, most}).seconds;
        slower = seconds > worth_a_look * fastest().played.seconds && rounds > 4 ? slower + 1 : 0;
      }
    }
    // Chunks that shrink down to a size: smaller ones cost too much if the master has little time.
    for (const double rounds : {6, 9, 14, 20, 30, 45})
      if (rounds < part) add({Rule::weighted, static_cast<std::int32_t>(std::ceil(part / rounds))});
    // The chosen rule, with lower bounds of its chunks.
    const Way way = chosen().way;
    for (const std::int32_t least : {2, 4, 8, 16})
      if (least <= way.most && least < part) add({way.rule, least, way.most});
    fewer_workers(chosen().way);
    return chosen();
  }

 private:
  Played add(Way way) {
    Advice advice{.way = way};
    for (const Worker& worker : workers_) {
      advice.used.push_back(worker.used);
      advice.workers += worker.used;
    }
    for (const Advice& one : tried_)
      if (one.way == way && one.workers == advice.workers) return one.played;
    const double limit =
        tried_.empty() ? std::numeric_limits<double>::infinity() : worth_a_look * fastest().played.seconds;
    advice.played = play(rest_, workers_, way, limit);
    tried_.push_back(advice);
    return advice.played;
  }
  // Leaves out the workers that do least in the time of a chunk, as long as this helps.
  void fewer_workers(Way way) {
    std::vector<std::size_t> order(workers_.size());
    std::iota(order.begin(), order.end(), 0);
    const double chunk =
        std::min<double>(way.most, rest_.iterations() / static_cast<double>(workers_.size()));
    const auto takes = [&](std::size_t i) {
      const Worker& w = workers_[i];
      return chunk * rest_.mean() / w.speed + w.there + w.back;
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return takes(a) < takes(b); });
    double before = of(chosen());
    for (std::size_t count = workers_.size() * 7 / 8; count >= 1; count = count * 7 / 8) {
      for (std::size_t i = count; i < order.size(); ++i) workers_[order[i]].used = false;
      add(way);
      const double now = of(tried_.back());
      if (now > before) break;
      before = now;
    }
  }
  const Advice& fastest() const {
    return *std::min_element(tried_.begin(), tried_.end(), [](const Advice& a, const Advice& b) {
      return a.played.seconds < b.played.seconds;
    });
  }
  // The expected time.
  double of(const Advice& one) const { return one.played.seconds + disturbance_ * one.played.exposure; }
  const Advice& chosen() const {
    const double limit = (1 + most_slower) * fastest().played.seconds;
    const Advice* best = nullptr;
    for (const Advice& one : tried_)
      if (one.played.seconds <= limit && (!best || of(one) < of(*best))) best = &one;
    return *best;
  }

  const Rest& rest_;
  std::vector<Worker> workers_;
  const double disturbance_;
  std::vector<Advice> tried_;
};

}  // namespace

Advice advise(const Rest& rest, const std::vector<Worker>& workers, double disturbance) {
  if (rest.iterations() == 0 || workers.empty()) return {};
  return Search(rest, workers, disturbance).best();
}

}  // namespace emu::advice
