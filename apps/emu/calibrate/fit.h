// From measurements to the parameters of a target.
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
  double off = 0;                      // how far the points are from the line, relative, in the middle

  double of(double bytes, double ranks) const;
};

struct Fit {
  Value latency, gap, gap_per_byte;  // seconds
  // What a long message takes beside overheads and bytes; by the model L for itself and each trip of its
  // handshake.
  std::optional<Value> handshake;
  Value trips;              // ... of its handshake, as measured
  int handshake_trips = 2;  // whole
  std::optional<std::int64_t> eager_limit;
  Overhead send, receive;
  double round_off = 0;  // as Overhead::off, for L and G
  Value poll;
  Value speed;          // of the CPU, relative to the reference CPU
  bool serial = false;  // network cards
  std::vector<std::string> notes;
};

// What becomes of values from points that scatter about their line.
enum class Scatter {
  refused,
  widened,  // their intervals get as wide, and a note says so; beyond the value itself they are refused
};

// Failure, with a line for each reason, if a value comes out negative or the points are too far off the
// lines: then no value is to be trusted. `reference_seconds`: what the kernel takes on the reference CPU.
Result<Fit> fit(const std::vector<Measurement>& measurements, double reference_seconds,
                Scatter scatter = Scatter::refused);

// Whether the fit is refused for scatter alone, which more samples may cure.
bool repeats_may_help(const std::vector<Measurement>& measurements, double reference_seconds);

}  // namespace emu::app::calibration
