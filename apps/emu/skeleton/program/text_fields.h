// Fields of a skeleton's text, for its writer and its reader.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "skeleton/program/skeleton.h"

namespace emu::skeleton {

// The parts of a call that a line may contain, each with a value for all ranks or one for each.
struct Field {
  const char* name;
  std::int64_t (*get)(const Call&);
  void (*set)(Call&, std::int64_t);
  std::int64_t least, most;
};

inline constexpr std::int64_t most_int = 2'147'483'647;
inline constexpr std::int64_t most_bytes = std::int64_t{1} << 50;

#define EMU_FIELD(NAME, MEMBER, LEAST, MOST)                                                        \
  {                                                                                                 \
    NAME, [](const Call& c) { return static_cast<std::int64_t>(c.MEMBER); },                        \
        [](Call& c, std::int64_t v) { c.MEMBER = static_cast<decltype(c.MEMBER)>(v); }, LEAST, MOST \
  }
inline const Field fields[] = {EMU_FIELD("comm", comm, 0, most_int),
                               EMU_FIELD("peer", peer, any, most_int),
                               EMU_FIELD("tag", tag, any, most_int),
                               EMU_FIELD("bytes", bytes, 0, most_bytes),
                               EMU_FIELD("source", source, unknown, most_int),
                               EMU_FIELD("source-tag", source_tag, any, most_int),
                               EMU_FIELD("unit", unit, 1, 1 << 20),
                               EMU_FIELD("slot", slot, 0, most_int)};
#undef EMU_FIELD

inline std::string number_text(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

}  // namespace emu::skeleton
