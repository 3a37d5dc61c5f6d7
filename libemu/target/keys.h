// The values of a target that may have an interval: one row for each key.
//
// Reading, intervals, derivatives and the output of `emu target` iterate over this table. A new key is a row here, and
// its row in config/README.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "record/path.h"
#include "target/target.h"

namespace emu::target {

enum class Unit : std::uint8_t {
  second,
  second_per_byte,
  speed,  // relative to the reference CPU; its interval is relative
};

struct Key {
  std::string_view name;
  Unit unit;
  // Location of the value; null for a value of another unit, and for speeds.
  Interval* (*time)(Target&);
  Rate* (*rate)(Target&);
  // Default; none: the key is required.
  std::optional<std::int64_t> otherwise;  // picoseconds, femtoseconds per byte
  // Derivative of the instant at the end of a path with respect to the value: seconds per second, per second per byte,
  // or per relative change of a speed. `ranks`: of the job.
  double (*weight)(const record::Path& path, double ranks);

  std::string_view table() const { return name.substr(0, name.rfind('.')); }  // "network.send"
  std::string_view leaf() const { return name.substr(name.rfind('.') + 1); }  // "fixed"
};

// All keys, in the order of the file.
std::span<const Key> keys();
// The key whose interval includes that of the value at `name`: "network.latency"
// for "network.piece.latency"; null: the value has no interval.
const Key* find_key(std::string_view name);
// The values of `key` in the target, in its unit: one value, or one for each group of nodes.
std::vector<double> values(const Target& target, const Key& key);

}  // namespace emu::target
