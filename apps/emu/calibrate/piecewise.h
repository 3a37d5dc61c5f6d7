// From measurements of other tools to a network with pieces by message size.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/failure.h"
#include "calibrate/import.h"
#include "calibrate/segments.h"

namespace emu::app::calibration {

// What messages of up to so many bytes cost, in seconds and seconds per byte.
struct PieceFit {
  double up_to = 0;  // of the last one it means nothing
  Value latency, gap_per_byte;
  Value send, send_per_byte;
  Value receive, receive_per_byte;

  // One way, with a receive that is posted, without a handshake.
  double of(double bytes) const {
    return send.value + latency.value + receive.value + (bytes - 1) * gap_per_byte.value +
           bytes * (send_per_byte.value + receive_per_byte.value);
  }
};

struct PiecewiseFit {
  std::vector<PieceFit> pieces;  // at least one; longer messages have the last one's values
  std::optional<std::int64_t> eager_limit;
  std::optional<Value> poll, reduce_per_byte, copy_per_byte;
  bool serial = true;
  double off = 0;  // the median distance of half a round trip from the fit, relative
  std::vector<std::string> notes;
};

// Failure if there is no half round trip. `eager_limit`: S, where it is known; none: no message waits for its receiver.
// `most`: lines of each kind of measurement; with 1 only the eager limit makes a piece.
Result<PiecewiseFit> fit(const Imported& measured, std::optional<std::int64_t> eager_limit, bool serial,
                         int most = 8);

}  // namespace emu::app::calibration
