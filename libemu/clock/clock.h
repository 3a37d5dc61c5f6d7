// One rank's virtual clock: where its time went, and what determined the instant it shows.
#pragma once

#include "base/time.h"
#include "model/network.h"
#include "trace/path.h"
#include "trace/summary.h"

namespace emu::clock {

class Clock {
 public:
  Instant now() const { return now_; }
  const trace::Breakdown& breakdown() const { return spent_; }
  const trace::Path& path() const { return path_; }  // to now()

  // Each moves on by `d`.
  void compute(Interval d) { charge(&trace::Breakdown::compute, &trace::Path::compute, d); }
  void send(Interval d, model::Bytes bytes) {  // o_s(bytes)
    charge(&trace::Breakdown::send_overhead, &trace::Path::send_overhead, d);
    count_send(model::Network::on_wire(bytes));
  }
  void receive(Interval d, model::Bytes bytes) {  // o_r(bytes)
    charge(&trace::Breakdown::receive_overhead, &trace::Path::receive_overhead, d);
    count_receive(model::Network::on_wire(bytes));
  }
  void control_send(Interval d) {  // c_s
    charge(&trace::Breakdown::handshake, &trace::Path::handshake, d);
    count_send(1);
  }
  void control_receive(Interval d) {  // c_r
    charge(&trace::Breakdown::handshake, &trace::Path::handshake, d);
    count_receive(1);
  }
  // `n` polls that cost `each`.
  void poll(Interval each, std::int64_t n) {
    charge(&trace::Breakdown::poll, &trace::Path::poll, each * n);
    path_.polls += n;
  }

  // Moves on to `t`, to which `path` led, if that is later: the difference is waiting.
  void wait_until(Instant t, const trace::Path& path) {
    if (t <= now_) return;
    spent_.wait += t - now_;
    now_ = t;
    path_ = path;
  }

 private:
  void charge(Interval trace::Breakdown::*part, Interval trace::Path::*cause, Interval d) {
    now_ += d;
    spent_.*part += d;
    path_.*cause += d;
  }
  void count_send(model::Bytes bytes) {
    ++path_.sends;
    path_.sent_bytes += bytes;
  }
  void count_receive(model::Bytes bytes) {
    ++path_.receives;
    path_.received_bytes += bytes;
  }

  Instant now_;
  trace::Breakdown spent_;
  trace::Path path_;
};

}  // namespace emu::clock
