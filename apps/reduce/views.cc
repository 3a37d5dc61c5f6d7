// How ranks and their dealer talk, and how one view follows another when a rank fails.
#include <algorithm>
#include <cmath>

#include "peer.h"

namespace reduce {
namespace {

// Others may be behind by that much: they still have to learn how these jobs ended.
constexpr int remembered_windows = 4;

bool for_dealer(const Control& control) {
  return control.kind == Control::ready || control.kind == Control::whole ||
         control.kind == Control::census || control.kind == Control::bye;
}

bool from_dealer(const Control& control) {
  return control.kind == Control::plan || control.kind == Control::done || control.kind == Control::failed ||
         control.kind == Control::fetch || control.kind == Control::gather;
}

}  // namespace

Peer::Peer(int rank, const Settings& settings, Wire& wire)
    : rank_(rank),
      settings_(settings),
      wire_(wire),
      view_(0),
      last_pieces_(static_cast<std::size_t>(settings.ranks), 0.0) {
  if (settings.tree) group_ = std::max(1, static_cast<int>(std::sqrt(static_cast<double>(settings.ranks))));
  if (rank == leader_of(rank)) {
    const int members = std::min(group_, settings.ranks - rank);
    group_upto_.assign(static_cast<std::size_t>(members), none);
    group_speed_.assign(static_cast<std::size_t>(members), 0);
  }
  if (rank == settings.dealer) dealer_.emplace(rank, settings_, static_cast<Dealer::Office&>(*this));
}

int Peer::start(const Spec& spec) {
  const int number = started_++;
  Job& job = jobs_[number];
  job.spec = spec;
  if (spec.speed != 0) note_speed(spec.speed);
  report_ready();
  deliver();
  return number;
}

void Peer::note_speed(int speed) {
  speeds_.push_back(speed);
  if (static_cast<int>(speeds_.size()) > settings_.window + 1) speeds_.pop_front();
}

int Peer::seen_speed() const {
  if (speeds_.empty()) return 0;
  const bool full = static_cast<int>(speeds_.size()) > settings_.window;
  return speed::both({speeds_.back(), full ? speeds_.front() : 0});
}

void Peer::leave() {
  leaving_ = true;
  tell_dealer({Control::bye, view_, none, 0, {}});
  deliver();
}

const Outcome* Peer::outcome(int job) const {
  const auto found = outcomes_.find(job);
  return found == outcomes_.end() ? nullptr : &found->second;
}

int Peer::dealer_rank() const { return settings_.successor(view_ % settings_.ranks); }

// --- as an office of the dealer's

Terms Peer::terms(int job) const { return jobs_.at(job).spec.terms; }

void Peer::tell(int to, Control control) {
  control.view = view_;
  if (to == rank_)
    to_self_.push_back(std::move(control));
  else if (!failed_.contains(to) || control.kind == Control::end)
    wire_.tell(to, control);
}

void Peer::tell_all(Control control) {
  if (by_tree()) {
    control.relay = 1;
    for (int leader = 0; leader < settings_.ranks; leader += group_)
      if (leader != rank_) tell(leader, control);
  } else {
    for (int rank = 0; rank < settings_.ranks; ++rank)
      if (rank != rank_) tell(rank, control);
  }
  tell(rank_, std::move(control));
}

void Peer::relay(const Control& control) {
  Control copy = control;
  copy.relay = 0;
  for (int rank = rank_ + 1; rank < std::min(rank_ + group_, settings_.ranks); ++rank)
    if (rank != dealer_rank()) wire_.tell(rank, copy);
}

void Peer::tell_dealer(Control control) {
  control.view = view_;
  const int dealer = dealer_rank();
  if (dealer == rank_)
    to_self_.push_back(std::move(control));
  else if (!excluded_)
    wire_.tell(dealer, control);
}

void Peer::deliver() {
  if (delivering_) return;
  delivering_ = true;
  while (!to_self_.empty()) {
    const Control control = std::move(to_self_.front());
    to_self_.pop_front();
    handle(rank_, control);
  }
  delivering_ = false;
}

void Peer::hear(int from, const Control& control) {
  const bool over = control.kind == Control::end || control.kind == Control::standby;
  if (excluded_ || ended_ || (failed_.contains(from) && !over)) return;
  handle(from, control);
  deliver();
}

void Peer::handle(int from, const Control& control) {
  if (control.kind == Control::enter && standby_ != none) return end_all();
  if (control.kind == Control::enter) {
    if (control.view < view_) wire_.tell(from, {Control::later, view_, none, 0, {}});
    return enter_view(control);
  }
  if (control.kind == Control::later) return control.view > view_ ? begin_view(control.view) : void();
  // The list is for one that the others hold for failed, even if it holds them for failed and has not listened.
  if (control.kind == Control::end) return control.list.empty() ? end() : void(excluded_ = true);
  if (control.kind == Control::standby) {
    standby_ = from;
    return failed(from) ? end_all() : void();
  }
  if (control.kind == Control::ping) {
    if (from != rank_) wire_.tell(from, {Control::here, view_, none, 0, {}});
    return;
  }
  if (control.kind == Control::pull) return pull(from, control);
  // What belongs to another view is asked for, or said, anew in this one.
  if (control.view != view_) return;
  if (control.kind == Control::ready && by_tree() && control.relay == 0) return collect_ready(control);
  if (for_dealer(control)) {
    if (dealer_) dealer_->hear(from, control);
    return;
  }
  if (!from_dealer(control)) return;
  if (control.relay != 0 && rank_ == leader_of(rank_)) relay(control);
  obey(control);
}

void Peer::obey(const Control& control) {
  switch (control.kind) {
    case Control::plan:
      return plan(control);
    case Control::done:
      return finish(control.job,
                    {control.list[0], control.list[1], {}, {control.list.begin() + 2, control.list.end()}});
    case Control::failed:
      return finish(control.job, {none, none, control.list, {}});
    case Control::fetch:
      return fetch(control);
    case Control::gather:
      return gather(control);
    default:
      return;
  }
}

// --- which jobs may be dealt

// Whether this rank has nothing to do for it any more, but perhaps to wait.
bool Peer::done_with(int job) const {
  const auto found = jobs_.find(job);
  if (found == jobs_.end()) return true;
  if (found->second.words.empty()) return false;
  return std::all_of(found->second.blocks.begin(), found->second.blocks.end(),
                     [](const auto& block) { return !block.second.combining || block.second.made; });
}

void Peer::report_ready() {
  int upto = upto_;
  while (upto + 1 < started_ && done_with(upto + 1 - settings_.window) &&
         !jobs_.contains(upto + 1 - 2 * settings_.window))
    ++upto;
  if (upto == upto_) return;
  upto_ = upto;
  const int behind = upto - remembered_windows * settings_.window;
  std::erase_if(outcomes_,
                [&](const auto& one) { return one.first < behind && released_.erase(one.first) != 0; });
  Control control{Control::ready, view_, none, 0, {upto, rank_, seen_speed()}};
  if (!by_tree()) return tell_dealer(std::move(control));
  if (leader_of(rank_) == rank_)
    collect_ready(control);
  else
    wire_.tell(leader_of(rank_), control);
}

void Peer::collect_ready(const Control& control) {
  const auto member = static_cast<std::size_t>(control.list[1] - rank_);
  group_upto_[member] = control.list[0];
  group_speed_[member] = control.list[2];
  const int least = *std::min_element(group_upto_.begin(), group_upto_.end());
  if (least <= group_said_) return;
  group_said_ = least;
  Control all{Control::ready, view_, none, 1, {least, rank_}};
  all.list.insert(all.list.end(), group_speed_.begin(), group_speed_.end());
  tell_dealer(std::move(all));
}

// --- views

void Peer::suspect(int rank) {
  if (rank == rank_ || failed(rank) || ended_ || excluded_) return;
  suspects_.insert(rank);
  if (rank == standby_) return end_all();
  begin_view(view_);
  deliver();
}

// If it is on this rank: the first of the succession that lives.
void Peer::begin_view(int after) {
  int place = 0;
  while (failed(settings_.successor(place))) ++place;
  if (settings_.successor(place) != rank_) return;
  const int view = (after / settings_.ranks + 1) * settings_.ranks + place;
  if (!dealer_) dealer_.emplace(rank_, settings_, static_cast<Dealer::Office&>(*this));
  Control control{Control::enter, view, none, 0, {failed_.begin(), failed_.end()}};
  for (int suspect : suspects_)
    if (!failed_.contains(suspect)) control.list.push_back(suspect);
  for (int rank = 0; rank < settings_.ranks; ++rank)
    if (rank != rank_ && !failed_.contains(rank)) wire_.tell(rank, control);
  enter_view(control);
}

void Peer::enter_view(const Control& control) {
  if (control.view <= view_) return;
  view_ = control.view;
  const std::set<int> before = failed_;
  failed_.insert(control.list.begin(), control.list.end());
  for (int rank : failed_) suspects_.erase(rank);
  if (failed_.contains(rank_)) {
    excluded_ = true;
    return;
  }
  for (int rank : failed_)
    if (!before.contains(rank)) wire_.give_up(rank);
  std::vector<int> missing;
  for (const auto& [number, transfer] : transfers_)
    if (failed_.contains(transfer.from)) missing.push_back(number);
  for (int number : missing) {
    wire_.forget(number);
    missed(number);
  }
  if (dealer_rank() == rank_)
    dealer_->begin(failed_);
  else
    dealer_.reset();
  tell_dealer({Control::census, view_, none, 0, census().words()});
  // The dealer may have failed, too, and this rank know it.
  if (!suspects_.empty()) begin_view(view_);
}

Census Peer::census() const {
  Census census{upto_, seen_speed(), leaving_, outcomes_, {}};
  for (const auto& [number, job] : jobs_) {
    Census::Job held{number, job.target, job.words, {}};
    std::map<int, Census::Block> blocks;
    for (const auto& [k, block] : job.blocks) {
      blocks[k].combining = block.combining;
      if (block.made) blocks[k].result = State::here;
      for (int i = 0; i < settings_.ranks; ++i)
        if (const State state = block.state[static_cast<std::size_t>(i)];
            i != rank_ && state != State::absent)
          blocks[k].pieces[i] = state;
    }
    for (int k = 0; k < static_cast<int>(job.got.size()); ++k)
      if (const State state = job.got[static_cast<std::size_t>(k)]; state != State::absent)
        blocks[k].result = std::max(blocks[k].result, state);
    for (auto& [k, block] : blocks) {
      block.number = k;
      held.blocks.push_back(std::move(block));
    }
    census.jobs.push_back(std::move(held));
  }
  return census;
}

void Peer::end() {
  for (int rank : failed_) wire_.tell(rank, {Control::farewell, view_, none, 0, {}});
  ended_ = true;
}

// All is over, and who was to tell all has failed.
void Peer::end_all() {
  for (int rank = 0; rank < settings_.ranks; ++rank)
    if (rank != rank_ && !failed(rank)) wire_.tell(rank, {Control::end, view_, none, 0, {}});
  end();
}

}  // namespace reduce
