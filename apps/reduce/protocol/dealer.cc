#include "reduce/protocol/dealer.h"

#include <algorithm>

namespace reduce {
namespace {

constexpr std::size_t deputies_on_standby = 2;
constexpr int few_ranks = 8;  // from this number on, the dealer combines nothing, and targets half as much

}  // namespace

Dealer::Dealer(int rank, const Settings& settings, Office& office)
    : rank_(rank),
      settings_(settings),
      office_(office),
      upto_(static_cast<std::size_t>(settings.ranks), none),
      speeds_(static_cast<std::size_t>(settings.ranks), 0) {}

void Dealer::begin(const std::set<int>& failed) {
  failed_ = failed;
  censuses_.clear();
  open_.clear();
  counting_ = true;
}

void Dealer::hear(int from, const Control& control) {
  if (!lives(from)) return;
  switch (control.kind) {
    case Control::ready:
      count_ready(control);
      return deal_ready();
    case Control::whole:
      return whole(from, control.job);
    case Control::bye:
      left_.insert(from);
      return end_if_all_left();
    case Control::census:
      censuses_[from] = Census::from(control.list);
      if (static_cast<int>(censuses_.size() + failed_.size()) == settings_.ranks) resume();
      return;
    default:
      return;
  }
}

// --- without failures

void Dealer::count_ready(const Control& control) {
  for (std::size_t i = 2; i < control.list.size(); ++i) {
    const auto rank = static_cast<std::size_t>(control.list[1]) + i - 2;
    upto_[rank] = std::max(upto_[rank], control.list[0]);
    speeds_[rank] = control.list[i];
  }
}

void Dealer::deal_ready() {
  while (!counting_) {
    for (int rank = 0; rank < settings_.ranks; ++rank)
      if (lives(rank) && upto_[static_cast<std::size_t>(rank)] < next_) return;
    deal(next_++);
  }
}

void Dealer::deal(int job) {
  const Terms terms = office_.terms(job);
  if (!failed_.empty() && !terms.leave_out)
    return finish(job, {none, none, {failed_.begin(), failed_.end()}, {}});
  Open& open = open_[job];
  target(open, terms);
  open.left_out.assign(failed_.begin(), failed_.end());
  Control plan{Control::plan, 0, job, 0, {open.root, open.heir}};
  const std::vector<int> speeds = speeds_for(job, terms);
  plan.list.insert(plan.list.end(), speeds.begin(), speeds.end());
  office_.tell_all(std::move(plan));
}

// The first two live ranks of these: the root, the heir, and the ranks after the heir.
void Dealer::target(Open& open, const Terms& terms) const {
  std::vector<int> candidates{terms.root};
  for (int i = 0; i < settings_.ranks; ++i) candidates.push_back((terms.heir + i) % settings_.ranks);
  open.root = open.heir = none;
  for (int rank : candidates) {
    if (!lives(rank) || rank == open.root || open.heir != none) continue;
    (open.root == none ? open.root : open.heir) = rank;
  }
}

int Dealer::usual_speed() const {
  std::vector<int> known;
  for (int rank = 0; rank < settings_.ranks; ++rank)
    if (const int speed = speed::seen(speeds_[static_cast<std::size_t>(rank)]).now;
        lives(rank) && speed >= speed::least)
      known.push_back(speed);
  if (known.empty()) return speed::octave;
  std::nth_element(known.begin(), known.begin() + static_cast<std::ptrdiff_t>(known.size() / 2), known.end());
  return known[known.size() / 2];
}

std::vector<int> Dealer::speeds_for(int job, const Terms& terms) const {
  const int living = settings_.ranks - static_cast<int>(failed_.size());
  const int usual = usual_speed();
  std::vector<int> speeds(upto_.size(), speed::left_out);
  std::vector<int> able;
  for (int rank = 0; rank < settings_.ranks; ++rank) {
    if (!lives(rank)) continue;
    int& speed = speeds[static_cast<std::size_t>(rank)];
    speed = speed::expected(speed::seen(speeds_[static_cast<std::size_t>(rank)]), usual);
    if (living >= few_ranks && (rank == terms.root || rank == terms.heir))
      speed = std::max(speed::least, speed - speed::octave);
    if (living >= few_ranks && rank == rank_)
      speed = speed::no_block;
    else
      able.push_back(rank);
  }
  // With short vectors, different ranks combine in each job.
  const auto most = static_cast<std::size_t>(
      std::max<std::int64_t>(1, terms.count * terms.element_bytes / settings_.least_block));
  if (most < able.size()) {
    const std::size_t first = static_cast<std::size_t>(job) * most;
    for (std::size_t i = most; i < able.size(); ++i)
      speeds[static_cast<std::size_t>(able[(first + i) % able.size()])] = speed::no_block;
  }
  return speeds;
}

void Dealer::whole(int from, int job) {
  const auto found = open_.find(job);
  if (found == open_.end()) return;
  Open& open = found->second;
  open.whole.insert(from);
  if (!open.whole.contains(open.root) || (open.heir != none && !open.whole.contains(open.heir))) return;
  finish(job, Outcome{open.root, open.heir, {}, open.left_out});
}

void Dealer::finish(int job, const Outcome& outcome) {
  open_.erase(job);
  Control control{outcome.root == none ? Control::failed : Control::done, 0, job, 0, outcome.lost};
  if (outcome.root != none) {
    control.list = {outcome.root, outcome.heir};
    control.list.insert(control.list.end(), outcome.left_out.begin(), outcome.left_out.end());
  }
  office_.tell_all(std::move(control));
}

// Deputies get `standby` first and `end` last: if this rank fails in between, they send the end to the others.
void Dealer::end_if_all_left() {
  if (ended_ || counting_) return;
  for (int rank = 0; rank < settings_.ranks; ++rank)
    if (lives(rank) && !left_.contains(rank)) return;
  ended_ = true;
  const int living = settings_.ranks - static_cast<int>(failed_.size());
  std::vector<int> deputies, others;
  for (int place = 0; place < settings_.ranks; ++place) {
    const int rank = settings_.successor(place);
    if (rank == rank_) continue;
    (lives(rank) && deputies.size() < deputies_on_standby ? deputies : others).push_back(rank);
  }
  for (int rank : deputies) office_.tell(rank, {Control::standby, 0, none, 0, {}});
  others.insert(others.end(), deputies.begin(), deputies.end());
  others.push_back(rank_);
  for (int rank : others)
    office_.tell(rank,
                 {Control::end, 0, none, 0, lives(rank) ? std::vector<int>{} : std::vector<int>{living}});
}

}  // namespace reduce
