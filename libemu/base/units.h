// Quantities with units as text: "12.1us", "100Mbit/s", "64KiB".
//
// A quantity is a decimal number and a unit, with or without one space between them; no sign, no exponent.
// Reading is exact decimal arithmetic and rounds at most once, to the nearest whole picosecond, femtosecond
// per byte or byte (sizes must be whole). Units:
//   time  ps ns us ms s min h
//   size  B; kB (or KB) MB GB = 1000, 1000^2, 1000^3 B; KiB MiB GiB = 1024, 1024^2, 1024^3 B
//   rate  bit/s kbit/s Mbit/s Gbit/s Tbit/s, and every unit of size with "/s"
// Failures quote the text and give a correct example; they do not name the file or key.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/failure.h"
#include "base/rate.h"
#include "base/time.h"

namespace emu {

// Upper limit, also in words.
struct MostTime {
  Interval value = Interval::picoseconds(4'611'686'018'427'387'903);  // half of 63 bits: see Instant::never
  const char* words = "1281h";
};

// A length of time: "12.1us".
Result<Interval> parse_interval(std::string_view text, const MostTime& most = {});
// Cost per byte: the time that one byte takes, "0.0268us", or a rate of transfer, "100Mbit/s".
Result<Rate> parse_time_per_byte(std::string_view text);
// A size in bytes: "64KiB".
Result<std::int64_t> parse_bytes(std::string_view text);

// For users: the largest unit up to s (above one hour: h) in which the value is at least 1, `digits`
// significant digits, no trailing zeros: "4.37 s", "12.1 us", "0 s".
std::string format(Interval interval, int digits = 3);
// "832 B", "64 KiB", "1.5 MiB".
std::string format_bytes(std::int64_t bytes);
// "1 rank", "2 ranks".
std::string counted(std::int64_t n, const std::string& what);

}  // namespace emu
