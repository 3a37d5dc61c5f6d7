// Parameters of a network with pieces by message size, from measurements of other tools.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/failure.h"
#include "calibrate/import.h"
#include "calibrate/segments.h"

namespace emu::app::calibration {

// Costs of messages of up to `up_to` bytes, in seconds and seconds per byte.
struct PieceFit {
  double up_to = 0;  // without meaning in the last piece
  Value latency, gap_per_byte;
  Value send, send_per_byte;
  Value receive, receive_per_byte;

  // One way, with a posted receive, without a handshake.
  double of(double bytes) const {
    return send.value + latency.value + receive.value + (bytes - 1) * gap_per_byte.value +
           bytes * (send_per_byte.value + receive_per_byte.value);
  }
};

struct PiecewiseFit {
  std::vector<PieceFit> pieces;  // at least one; longer messages have the values of the last one
  std::optional<std::int64_t> eager_limit;
  std::optional<Value> poll, reduce_per_byte, copy_per_byte;
  bool serial = true;
  double off = 0;  // median relative distance of half a round trip from the fit
  std::vector<std::string> notes;
};

// Fails without a half round trip. `eager_limit`: S, if known; nothing: no message waits for its receiver.
// `most`: number of lines of each kind of measurement; with 1, only the eager limit begins a piece.
Result<PiecewiseFit> fit(const Imported& measured, std::optional<std::int64_t> eager_limit, bool serial,
                         int most = 8);

}  // namespace emu::app::calibration
