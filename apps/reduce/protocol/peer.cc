// Messages between ranks and their dealer, and the change of views when a rank fails.
#include "reduce/protocol/peer.h"

#include <algorithm>

namespace reduce {
namespace {

// Other ranks may be behind by this number of windows, and still have to learn the outcomes of these jobs.
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
      group_(rank, settings),
      jobs_(rank, settings_, wire, static_cast<Jobs::Office&>(*this)) {
  if (rank == settings.dealer) dealer_.emplace(rank, settings_, static_cast<Dealer::Office&>(*this));
}

int Peer::start(const Spec& spec) {
  const int number = started_++;
  jobs_.start(number, spec);
  report_ready();
  deliver();
  return number;
}

void Peer::leave() {
  leaving_ = true;
  tell_dealer({Control::bye, view_, none, 0, {}});
  deliver();
}

int Peer::dealer_rank() const { return settings_.successor(view_ % settings_.ranks); }

// --- as the dealer's office

Terms Peer::terms(int job) const { return jobs_.terms(job); }

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
    for (int leader = 0; leader < settings_.ranks; leader += group_.size())
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
  for (int rank = rank_ + 1; rank < std::min(rank_ + group_.size(), settings_.ranks); ++rank)
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

void Peer::progressed() { report_ready(); }

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
  // A list marks the end for a rank that the others assume to have failed, even if that rank assumes so of them.
  if (control.kind == Control::end) return control.list.empty() ? end() : void(excluded_ = true);
  if (control.kind == Control::standby) {
    standby_ = from;
    return failed(from) ? end_all() : void();
  }
  if (control.kind == Control::ping) {
    if (from != rank_) wire_.tell(from, {Control::here, view_, none, 0, {}});
    return;
  }
  if (control.kind == Control::pull) return jobs_.pull(from, control);
  // Messages of other views are requested or sent again in the present view.
  if (control.view != view_) return;
  if (control.kind == Control::ready && by_tree() && control.relay == 0) return collect_ready(control);
  if (for_dealer(control)) {
    if (dealer_) dealer_->hear(from, control);
    return;
  }
  if (!from_dealer(control)) return;
  if (control.relay != 0 && rank_ == group_.leader()) relay(control);
  obey(control);
}

void Peer::obey(const Control& control) {
  switch (control.kind) {
    case Control::plan:
      return jobs_.plan(control);
    case Control::done:
      return jobs_.finish(
          control.job,
          {control.list[0], control.list[1], {}, {control.list.begin() + 2, control.list.end()}});
    case Control::failed:
      return jobs_.finish(control.job, {none, none, control.list, {}});
    case Control::fetch:
      return jobs_.fetch(control);
    case Control::gather:
      return jobs_.gather(control);
    default:
      return;
  }
}

// --- which jobs may be dealt

void Peer::report_ready() {
  int upto = upto_;
  while (upto + 1 < started_ && jobs_.done_with(upto + 1 - settings_.window) &&
         !jobs_.open(upto + 1 - 2 * settings_.window))
    ++upto;
  if (upto == upto_) return;
  upto_ = upto;
  const int behind = upto - remembered_windows * settings_.window;
  jobs_.forget_before(behind);
  Control control{Control::ready, view_, none, 0, {upto, rank_, jobs_.speed().seen()}};
  if (!by_tree()) return tell_dealer(std::move(control));
  if (group_.leader() == rank_)
    collect_ready(control);
  else
    wire_.tell(group_.leader(), control);
}

void Peer::collect_ready(const Control& control) {
  if (!group_.collect(control.list[1], control.list[0], control.list[2])) return;
  Control all{Control::ready, view_, none, 1, {group_.upto(), rank_}};
  all.list.insert(all.list.end(), group_.speeds().begin(), group_.speeds().end());
  tell_dealer(std::move(all));
}

// --- views

void Peer::arrived(int transfer) { jobs_.arrived(transfer); }

void Peer::missed(int transfer) { jobs_.missed(transfer); }

void Peer::suspect(int rank) {
  if (rank == rank_ || failed(rank) || ended_ || excluded_) return;
  suspects_.insert(rank);
  if (rank == standby_) return end_all();
  begin_view(view_);
  deliver();
}

// Begins a view if this rank is the first live rank of the succession.
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
  jobs_.give_up(failed_);
  if (dealer_rank() == rank_)
    dealer_->begin(failed_);
  else
    dealer_.reset();
  tell_dealer({Control::census, view_, none, 0, census().words()});
  // This rank may already know that the new dealer has failed, too.
  if (!suspects_.empty()) begin_view(view_);
}

Census Peer::census() const {
  return {upto_, jobs_.speed().seen(), leaving_, jobs_.outcomes(), jobs_.census()};
}

void Peer::end() {
  for (int rank : failed_) wire_.tell(rank, {Control::farewell, view_, none, 0, {}});
  ended_ = true;
}

// Called when all is over, and the rank that had to tell all has failed.
void Peer::end_all() {
  for (int rank = 0; rank < settings_.ranks; ++rank)
    if (rank != rank_ && !failed(rank)) wire_.tell(rank, {Control::end, view_, none, 0, {}});
  end();
}

}  // namespace reduce
