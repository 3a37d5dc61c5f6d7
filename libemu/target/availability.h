// Files that say how much of a CPU is available when: recorded, or those of SimGrid's speed profiles.
//
//   # time in seconds, and the part of the usual speed that is available from then on
//   0.0   1.0
//   11.0  0.5
//   20.0  0.8
//   LOOPAFTER 12.0
//
// The last line, anywhere and not required, says that the first step comes again so many seconds after the
// last one; older files have PERIODICITY for it. What stands behind # is a comment.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/failure.h"
#include "model/speed.h"

namespace emu::target {

// `loop_after` counts in place of what the text says. Failures name `name` and the line.
Result<std::shared_ptr<const model::Steps>> parse_availability(const std::string& text,
                                                               const std::string& name,
                                                               std::optional<Interval> loop_after);

}  // namespace emu::target
