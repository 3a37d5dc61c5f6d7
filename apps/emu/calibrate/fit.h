// Parameters of a target from measurements.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/failure.h"
#include "calibrate/measurement.h"
#include "calibrate/regression.h"

namespace emu::app::calibration {

struct Overhead {
  Value fixed, per_process, per_byte;  // seconds
  double off = 0;                      // median relative distance of the points from the line

  double of(double bytes, double ranks) const;
};

struct Fit {
  Value latency, gap, gap_per_byte;  // seconds
  // Time of a long message besides overheads and bytes; in the model, L for the message and for each trip of its
  // handshake.
  std::optional<Value> handshake;
  Value trips;              // ... of its handshake, as measured
  int handshake_trips = 2;  // rounded
  std::optional<std::int64_t> eager_limit;
  Overhead send, receive;
  bool cold = false;                                // buffers
  std::optional<Overhead> warm_send, warm_receive;  // if the buffers are cold
  double round_off = 0;                             // as Overhead::off, for L and G
  Value poll;
  Value speed;          // of the CPU, relative to the reference CPU
  bool serial = false;  // network cards
  std::vector<std::string> notes;
};

// Treatment of values whose points scatter about their line.
enum class Scatter {
  refused,
  // Their intervals are widened accordingly, with a note; refused if wider than the value. Overheads that fall with the
  // number of ranks do not grow, with a note.
  widened,
};

// Fails, with a line for each reason, if a value is negative or if the points are too far from the
// lines: then no value is reliable. `reference_seconds`: time of the kernel on the reference CPU.
Result<Fit> fit(const std::vector<Measurement>& measurements, double reference_seconds,
                Scatter scatter = Scatter::refused);

// True if the fit is refused for scatter alone, which more samples may reduce.
bool repeats_may_help(const std::vector<Measurement>& measurements, double reference_seconds);

}  // namespace emu::app::calibration
