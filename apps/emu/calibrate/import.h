// Measurements of other tools, as `emu calibrate --from` reads them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/failure.h"
#include "calibrate/segments.h"

namespace emu::app::calibration {

enum class Format {
  csv,       // kind,bytes,seconds: README of emu
  osu,       // OSU micro-benchmarks: osu_latency, osu_bw
  imb,       // Intel MPI Benchmarks: PingPong
  netgauge,  // pattern one_one
  smpi,      // platform files of SimGrid (calibrate/platform.h)
};
inline const std::vector<std::string> format_names = {"csv", "osu", "imb", "netgauge", "smpi"};

// Points by kind:
//   half_roundtrip  half of a ping-pong with a posted receive
//   send            time of a send call
//   receive         time of the receive of a message that has arrived
//   stream          time between consecutive messages at the greatest rate
//   poll            a test that answers false; bytes are ignored
//   reduce, copy    a predefined reduction, and a copy, of this many bytes
struct Imported {
  std::map<std::string, std::vector<Point>> points;
  // On what was read, for the target: sentences without a full stop. Warnings are also for the user.
  std::vector<std::string> notes, warnings;
};

// `name`: name of the file in messages. Failures name the line.
Result<void> read_into(Imported& all, const std::string& text, const std::string& name, Format format);

}  // namespace emu::app::calibration
