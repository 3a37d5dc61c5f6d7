// Files of the availability of a CPU over time: recorded, or SimGrid's speed profiles.
//
//   # time in seconds, and the part of the usual speed that is available from this time on
//   0.0   1.0
//   11.0  0.5
//   20.0  0.8
//   LOOPAFTER 12.0
//
// The last line is optional and may be anywhere: the first step repeats this many seconds after the last one. Older
// files have PERIODICITY in its place. Text after # is a comment.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/failure.h"
#include "model/speed.h"

namespace emu::target {

// `loop_after` replaces the value in the text. Failures contain `name` and the line.
Result<std::shared_ptr<const model::Steps>> parse_availability(const std::string& text,
                                                               const std::string& name,
                                                               std::optional<Interval> loop_after);

}  // namespace emu::target
