// Virtual clock of one rank, with the times that its value consists of and the path to it.
//
// The clock never shows an instant at which the rank's node is down: the rest of a cost
// is paid afterwards. All time in which the node is down counts as `down`, whatever the
// rank did; on the path, so does the part of this time that belongs to the path.
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "base/time.h"
#include "model/network.h"
#include "model/outages.h"
#include "model/speed.h"
#include "record/path.h"
#include "record/summary.h"

namespace emu::clock {

class Clock {
 public:
  Clock() = default;
  // Calls `failed` when the node goes down for good, with the clock at that instant. Calls `overrun` for an event after
  // the last instant of virtual time, with the clock at the last instant and the event's instant as argument. Both do
  // not return normally.
  Clock(model::Outages outages, std::function<void()> failed, std::function<void(Instant)> overrun = {})
      : outages_(std::move(outages)), failed_(std::move(failed)), overrun_(std::move(overrun)) {
    find_next_outage();
  }

  // Start of the next outage.
  Instant next_outage() const { return next_outage_; }
  const model::Outages& outages() const { return outages_; }
  // The rank begins.
  void start() {
    if (now_ >= next_outage_) stand_still();
  }

  Instant now() const { return now_; }
  const record::Breakdown& breakdown() const { return spent_; }
  const record::Path& path() const { return path_; }  // to now()
  Instant met() const { return met_; }                // end of its last wait

  // Each of the following functions, except compute(), moves the clock by `d`.
  // Moves the clock to the instant at which `work` of the reference CPU is done, including the time in which the node
  // is down.
  void compute(Interval work, const model::Speed::Done& done) {
    const Interval down = done.at > next_outage_ ? outages_.within(now_, done.at) : Interval();
    const Interval stopped = done.idle - down;  // while the node is down, its speed is 0 too
    add(&record::Breakdown::compute, &record::Path::compute, done.at - now_ - down - stopped);
    add(&record::Breakdown::compute, &record::Path::stopped, stopped);
    add(&record::Breakdown::down, &record::Path::down, down);
    weigh(work, done);
    if (now_ < next_outage_) return;
    find_next_outage();
    if (now_ >= next_outage_) stand_still();
  }
  void send(Interval d, model::Bytes bytes) {  // o_s(bytes)
    charge(&record::Breakdown::send_overhead, &record::Path::send_overhead, d);
    count_send(model::Network::on_wire(bytes));
  }
  void send_on(Interval d,
               model::Bytes bytes) {  // a further part of o_s: for `bytes` bytes of the same message
    charge(&record::Breakdown::send_overhead, &record::Path::send_overhead, d);
    path_.sent_bytes += static_cast<double>(bytes);
  }
  void receive(Interval d, model::Bytes bytes) {  // o_r(bytes)
    charge(&record::Breakdown::receive_overhead, &record::Path::receive_overhead, d);
    count_receive(model::Network::on_wire(bytes));
  }
  void control_send(Interval d) {  // c_s
    charge(&record::Breakdown::handshake, &record::Path::handshake, d);
    count_send(1);
  }
  void control_receive(Interval d) {  // c_r
    charge(&record::Breakdown::handshake, &record::Path::handshake, d);
    count_receive(1);
  }
  // `usual`: the cost is network.poll.fixed. A greater cost depends on the time for which the rank has polled.
  void poll(Interval d, bool usual = true) {
    charge(&record::Breakdown::poll, &record::Path::poll, d);
    path_.polls += usual;
  }

  void reduce(Interval d, model::Bytes bytes) {  // a predefined reduction in a collective
    charge(&record::Breakdown::compute, &record::Path::compute, d);
    path_.reduced_bytes += static_cast<double>(bytes);
  }
  void copy(Interval d, model::Bytes bytes) {  // from buffer to buffer in a collective
    charge(&record::Breakdown::compute, &record::Path::compute, d);
    path_.copied_bytes += static_cast<double>(bytes);
  }
  void allocate(Interval d, model::Bytes bytes) {  // temporary memory of a collective
    charge(&record::Breakdown::compute, &record::Path::compute, d);
    path_.temporary_bytes += static_cast<double>(bytes);
  }

  // `t` is an instant that results from an act of this rank, here or elsewhere. It must not be after the last instant.
  [[gnu::hot]] void check(Instant t) {
    if (t.is_never()) [[unlikely]]
      overrun();
  }

  // State of a rank that only polls.
  struct Polling {
    Instant look = Instant::never();  // the first false answer about the next event; never: none
    Instant began;
    Interval slept, down;  // parts of the path at that time
    Interval cost;         // of a poll; 0: it depends on the time polled alone
  };
  // Applies to the next wait_until().
  void polled(const Polling& polling) {
    polling_ = polling;
    late_.reset();
  }
  // The time from the event for which the rank polled to its discovery, since
  // polled() was called. No value: nothing was found, or the value has been taken.
  std::optional<Interval> take_late() { return std::exchange(late_, std::nullopt); }

  // Moves the clock to `t`, with path `path`, if `t` is later: the difference is waiting. A
  // rank that has polled waits too: its path becomes `path`, plus the rest of the polling.
  [[gnu::hot]] void wait_until(Instant t, const record::Path& path) {
    if (t <= now_) {
      if (t > polling_.look) [[unlikely]]
        find(t, path);
      return;
    }
    if (t >= outages_.end()) fail_waiting();
    const Instant since = now_;
    spent_.wait += t - since;
    now_ = met_ = t;
    path_ = path;
    if (t >= next_outage_) {
      const Interval down = outages_.within(since, t);
      spent_.wait -= down;
      spent_.down += down;
      find_next_outage();
      if (now_ < next_outage_) return;
      stand_still();
      met_ = now_;
      path_.weigh(0);  // the arrival has no weight: any instant of the outage has the same effect
    }
  }

 private:
  void charge(Interval record::Breakdown::*part, Interval record::Path::*cause, Interval d) {
    while (now_ + d >= next_outage_) {
      const Interval before = next_outage_ - now_;
      add(part, cause, before);
      d -= before;
      stand_still();
    }
    add(part, cause, d);
  }
  void add(Interval record::Breakdown::*part, Interval record::Path::*cause, Interval d) {
    check(now_ + d);
    now_ += d;
    spent_.*part += d;
    path_.*cause += d;
  }
  void weigh(Interval work, const model::Speed::Done& done) {
    if (done.end == 0) return path_.weigh(0);
    const auto begin = static_cast<double>(done.begin), end = static_cast<double>(done.end);
    if (done.begin != done.end) path_.weigh(begin / end);
    path_.work += static_cast<double>(work.picoseconds()) * (model::one / end);
  }
  // The node is down: moves the clock to the end of the outage.
  [[gnu::cold]] void stand_still() {
    const model::Outage outage = *outages_.next(now_);  // exists: the clock ends before never()
    if (outage.for_good()) fail();
    add(&record::Breakdown::down, &record::Path::down, outage.until - now_);
    find_next_outage();
  }
  // Waits until the node goes down for good, which alone determines that instant. If it never does, `t` is after the
  // last instant of virtual time.
  [[gnu::cold]] void fail_waiting() {
    if (outages_.end().is_never()) overrun();
    const Interval d = outages_.end() - now_, down = outages_.within(now_, outages_.end());
    add(&record::Breakdown::wait, &record::Path::until_failure, d - down);
    add(&record::Breakdown::down, &record::Path::down, down);
    fail();
  }
  [[gnu::cold]] void overrun() {
    const Instant before = std::exchange(now_, Instant::last());
    overrun_(before);
  }
  void find(Instant t, const record::Path& path) {
    const Interval late = now_ - t, slept = path_.asleep - polling_.slept;
    const Interval down = path_.down > polling_.down ? outages_.within(t, now_) : Interval();
    path_ = path;
    path_.down += down;
    path_.find(late - down, slept, now_ - polling_.began, polling_.cost);
    late_ = late;
    polling_.look = Instant::never();
  }
  void fail() {
    path_.weigh(0);
    failed_();
  }
  [[gnu::cold]] void find_next_outage() {
    const model::Outage* next = outages_.next(now_);
    next_outage_ = next ? next->from : Instant::never();
  }
  void count_send(model::Bytes bytes) {
    ++path_.sends;
    path_.sent_bytes += bytes;
  }
  void count_receive(model::Bytes bytes) {
    ++path_.receives;
    path_.received_bytes += bytes;
  }

  model::Outages outages_;
  std::function<void()> failed_;
  std::function<void(Instant)> overrun_;
  Instant next_outage_ = Instant::never();
  Instant now_, met_;
  Polling polling_;
  std::optional<Interval> late_;
  record::Breakdown spent_;
  record::Path path_;
};

}  // namespace emu::clock
