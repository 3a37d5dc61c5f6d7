#include "reduce/library/watch.h"

#include <algorithm>

namespace reduce {
namespace {

// The first deputies would succeed the dealer: it pings them as often as it asks silent ranks. The ranks after them
// have longer patience.
constexpr int first_deputies = 2;

}  // namespace

Watch::Watch(const Settings& settings, double heartbeat, double limit)
    : settings_(settings),
      heartbeat_(heartbeat),
      limit_(limit),
      heard_(static_cast<std::size_t>(settings.ranks), 0.0) {}

bool Watch::needed(const Peer& peer) const { return peer.busy() && !peer.excluded(); }

// Silence counts from here: a rank between reductions need not answer, and no rank has answered to a new dealer.
void Watch::begin(double now, const Peer& peer) {
  watching_ = true;
  view_ = peer.view();
  heard_.assign(heard_.size(), now);
  looked_ = now;
  next_ = now + heartbeat_;
  next_to_all_ = now + limit_;
}

void Watch::look(double now, Peer& peer, Wire& wire) {
  if (!needed(peer)) {
    watching_ = false;
    return;
  }
  if (!watching_ || view_ != peer.view()) begin(now, peer);
  if (now < next_) return;
  next_ = now + heartbeat_;
  // A rank that was away, and received nothing, cannot know which ranks were silent in that time.
  if (const double away = now - looked_ - 2 * heartbeat_; away > 0)
    for (double& heard : heard_) heard = std::min(now, heard + away);
  looked_ = now;
  if (peer.deals())
    ask(now, peer, wire);
  else
    watch_dealer(now, peer);
}

void Watch::ask(double now, Peer& peer, Wire& wire) {
  const bool all = now >= next_to_all_;
  if (all) next_to_all_ = now + limit_;
  int before = 0;
  std::vector<int> failed;
  for (int place = 0; place < settings_.ranks; ++place) {
    const int rank = settings_.successor(place);
    if (peer.failed(rank) || rank == peer.rank()) continue;
    const double silent = now - heard_[static_cast<std::size_t>(rank)];
    const bool deputy = before++ < first_deputies;
    if (silent > limit_)
      failed.push_back(rank);
    else if (all || deputy || silent >= heartbeat_)
      wire.tell(rank, {Control::ping, peer.view(), none, 0, {}});
  }
  for (int rank : failed) peer.suspect(rank);
}

// Among the ranks before it, this rank watches only the dealer: if a live deputy had missed the dealer, it would have
// begun a view by now.
void Watch::watch_dealer(double now, Peer& peer) const {
  std::vector<int> before;
  for (int place = 0; settings_.successor(place) != peer.rank(); ++place)
    if (const int rank = settings_.successor(place); !peer.failed(rank)) before.push_back(rank);
  const double silent = now - heard_[static_cast<std::size_t>(peer.dealer_rank())];
  if (silent <= limit_ * static_cast<double>(before.size())) return;
  for (int rank : before) peer.suspect(rank);
}

}  // namespace reduce
