// A network with known parameters, and measurements of it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "calibrate/measurement.h"

namespace emu::app::calibration {

// A network of the model, in seconds.
struct Truth {
  double latency = 50e-6, gap = 0, per_byte = 80e-9;
  double send[3] = {10e-6, 0.2e-6, 2e-9};
  double receive[3] = {12e-6, 0.3e-6, 3e-9};
  double limit = 65536;
  int trips = 2;  // of a handshake
  bool serial = false;
  double poll = 0.5e-6, kernel = 0.006;

  double o_s(double k, int p) const { return send[0] + send[1] * p + send[2] * k; }
  double o_r(double k, int p) const { return receive[0] + receive[1] * p + receive[2] * k; }
  double one_way(double k, int p) const {
    const double transfer = o_s(k, p) + latency + (k - 1) * per_byte + o_r(k, p);
    return k <= limit ? transfer : transfer + trips * latency + 2 * (o_s(1, p) + o_r(1, p));
  }
};

// The measurement of such a network; `noise` is called for each sample with its true time.
inline Measurement measured(const Truth& truth, int p, const std::function<double(double)>& noise) {
  Measurement result;
  result.ranks = p;
  result.two_machines = true;
  result.eager_limit = static_cast<std::int64_t>(truth.limit);
  const auto add = [&](const char* kind, std::int64_t bytes, double seconds) {
    Sample sample{kind, bytes, {}};
    for (int i = 0; i < 9; ++i) sample.seconds.push_back(noise(seconds));
    result.samples.push_back(sample);
  };
  for (std::int64_t bytes = 0; bytes <= std::int64_t{4} << 20; bytes = bytes ? 2 * bytes : 1) {
    const auto k = static_cast<double>(std::max<std::int64_t>(bytes, 1));
    const bool eager = k <= truth.limit;
    add("send", bytes, truth.o_s(k, p) + (eager ? 0 : (truth.trips + 1) * truth.latency));
    add("receive", bytes,
        truth.o_r(k, p) + (eager ? 0 : (truth.trips + 1) * truth.latency + truth.per_byte * k));
    add("round", bytes, 2 * truth.one_way(k, p));
  }
  add("burst", 1, std::max(truth.gap, truth.o_s(1, p)));
  const double k = truth.limit;
  add("train", static_cast<std::int64_t>(k),
      std::max({truth.gap, truth.o_s(k, p), truth.o_r(k, p), truth.serial ? (k - 1) * truth.per_byte : 0}));
  add("poll", 0, truth.poll);
  add("kernel", 0, truth.kernel);
  return result;
}

inline std::vector<Measurement> measured(const Truth& truth, const std::function<double(double)>& noise) {
  return {measured(truth, 2, noise), measured(truth, 8, noise), measured(truth, 32, noise)};
}
inline double exact(double seconds) { return seconds; }

}  // namespace emu::app::calibration
