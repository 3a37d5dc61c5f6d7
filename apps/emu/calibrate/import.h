// Measurements that other tools have made: what `emu calibrate --from` reads.
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
  smpi,  // parameters of SimGrid SMPI: smpi/os, smpi/or, network/bw-factor, network/lat-factor, and a link
};
inline const std::vector<std::string> format_names = {"csv", "osu", "imb", "netgauge", "smpi"};

// Points by kind:
//   half_roundtrip  half of a ping-pong, the receive being posted
//   send            how long a send keeps its caller
//   receive         how long the receive of a message takes that has arrived
//   stream          time between messages that follow each other, as fast as they can
//   poll            a test that answers false; bytes do not matter
//   reduce, copy    a predefined reduction, and a copy, of so many bytes
struct Imported {
  std::map<std::string, std::vector<Point>> points;
};

// `name` is the file's, for messages. Failure names the line.
Result<void> read_into(Imported& all, const std::string& text, const std::string& name, Format format);

}  // namespace emu::app::calibration
