#include "reduce/library/engine.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "emu/emu.h"

namespace reduce {
namespace {

// A rank looks for messages after it has combined this number of bytes.
constexpr std::int64_t bytes_between_looks = 64 * 1024;
// A rank that watches naps between two looks for messages, because continuous polling would be expensive under
// emulation. A nap is a small part of the time without messages, so that waits become only slightly longer.
constexpr double least_nap = 2e-6;  // seconds
constexpr double nap_part = 1. / 64;
constexpr double naps_in_heartbeat = 8;  // least number of naps in a heartbeat
// Shorter naps are omitted natively, because the system would make them longer.
constexpr double least_sleep = 100e-6;

void nap(double seconds) {
  if (emu_active() != 0)
    emu_compute(seconds);
  else if (seconds >= least_sleep)
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

}  // namespace

Engine::Engine(MPI_Comm comm, const reduce_settings& given, const Settings& settings)
    : given_(given),
      transport_(comm),
      peer_(transport_.rank(), settings, transport_),
      watch_(settings, given.heartbeat, given.limit) {}

void Engine::progress(bool wait) {
  if (fails_at_ >= 0 && !mute_ && MPI_Wtime() >= fails_at_) mute_ = true;
  if (mute_ || peer_.excluded()) return;
  const bool worked = combine();
  const bool watches = given_.detect == REDUCE_BY_HEARTBEAT && watch_.needed(peer_);
  const bool heard = hear(wait && !worked && !watches);
  if (!worked && !watches) return;
  // Between two pieces, too: other ranks must hear of a dealer that has much to combine, and it must hear them.
  const double now = watches ? MPI_Wtime() : 0;
  if (watches && !peer_.ended()) watch_.look(now, peer_, transport_);
  if (worked || heard || !peer_.is_idle()) return wake();
  if (quiet_since_ < 0) quiet_since_ = now;
  const double longest = wait ? std::max(least_nap, given_.heartbeat / naps_in_heartbeat) : least_nap;
  nap(std::clamp((now - quiet_since_) * nap_part, least_nap, longest));
}

bool Engine::combine() {
  if (peer_.is_idle()) return false;
  emu_interval_begin("combine");
  const bool worked = peer_.work(bytes_between_looks);
  emu_interval_end("combine");
  return worked;
}

// Takes all messages: a receive takes one control message, and each rank may have sent one between two pieces.
bool Engine::hear(bool wait) {
  bool any = false;
  for (;;) {
    const Transport::News news = transport_.news(wait && !any);
    take(news);
    any = any || !news.none();
    if (news.heard.empty() || peer_.ended()) return any;
  }
}

void Engine::take(const Transport::News& news) {
  if (fails_at_ >= 0 && MPI_Wtime() >= fails_at_) mute_ = true;
  const bool watches = given_.detect == REDUCE_BY_HEARTBEAT && !news.heard.empty();
  const double now = watches ? MPI_Wtime() : 0;
  for (const auto& [from, control] : news.heard) {
    watch_.heard(from, now);
    if (control.kind == Control::farewell) ++said_farewell_;
    if (control.kind == Control::end && !control.list.empty()) farewells_ = control.list[0];
    if (!mute_) peer_.hear(from, control);
  }
  if (mute_) return;
  for (int transfer : news.arrived) peer_.arrived(transfer);
  for (int transfer : news.missed) peer_.missed(transfer);
  for (int rank : news.failed) peer_.suspect(rank);
}

bool Engine::close() {
  if (!mute_ && !peer_.excluded()) peer_.leave();
  while (!peer_.ended() && !peer_.excluded() && !mute_) progress(true);
  if (!mute_ && !peer_.excluded()) return transport_.close(), true;
  // The dealer's end says how many ranks will say farewell.
  while (farewells_ < 0) {
    mute_ = true;
    take(transport_.news(true));
  }
  transport_.drain(farewells_ - said_farewell_);
  return false;
}

}  // namespace reduce
