#include "watch.h"

namespace reduce {
namespace {

constexpr int watching_deputies = 2;

}  // namespace

Watch::Watch(const Settings& settings, double heartbeat, double limit)
    : settings_(settings),
      heartbeat_(heartbeat),
      limit_(limit),
      heard_(static_cast<std::size_t>(settings.ranks), 0.0) {}

int Watch::living_before(const Peer& peer) const {
  int before = 0;
  for (int place = 0; settings_.successor(place) != peer.rank(); ++place)
    before += peer.failed(settings_.successor(place)) ? 0 : 1;
  return before;
}

bool Watch::needed(const Peer& peer) const {
  return peer.busy() && !peer.excluded() && living_before(peer) <= watching_deputies;
}

void Watch::look(double now, Peer& peer, Wire& wire) {
  if (!needed(peer)) {
    watching_ = false;
    return;
  }
  if (!watching_ || view_ != peer.view()) {
    // Silence counts from here: who computes between reductions need not answer, and to another dealer nobody has.
    watching_ = true;
    view_ = peer.view();
    heard_.assign(heard_.size(), now);
    next_ = now + heartbeat_;
  }
  if (now < next_) return;
  next_ = now + heartbeat_;
  int before = 0;
  std::vector<int> failed;
  for (int place = 0; place < settings_.ranks; ++place) {
    const int rank = settings_.successor(place);
    if (peer.failed(rank)) continue;
    // Those behind are the dealer's to watch.
    if (rank == peer.rank() && !peer.deals()) break;
    if (rank == peer.rank()) continue;
    const double silent = now - heard_[static_cast<std::size_t>(rank)];
    // The second deputy waits until the first would have stepped in.
    const int patience = peer.deals() ? 1 : living_before(peer);
    const bool deputy = peer.deals() && before < watching_deputies;
    ++before;
    if (silent > limit_ * patience)
      failed.push_back(rank);
    else if (peer.deals() && (deputy || silent >= heartbeat_))
      wire.tell(rank, {Control::ping, peer.view(), none, 0, {}});
  }
  for (int rank : failed) peer.suspect(rank);
}

}  // namespace reduce
