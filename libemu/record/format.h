// A trace: the actions of every rank of a run, in virtual time. One folder, one file per rank. libemu/record/format.md
// specifies the contents of a file, byte by byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "record/path.h"

namespace emu::record {

inline constexpr std::string_view magic = "emutrace";
inline constexpr std::uint32_t version = with_causes(8);
inline constexpr std::size_t preamble = 12;     // magic and version, in bytes
inline constexpr std::size_t block_header = 8;  // in bytes
inline constexpr std::uint32_t longest_block = 1 << 20;

enum class Record : std::uint8_t {
  text = 1,
  enter,
  leave,
  sent,
  received,
  found,
  polled,
  collective,
  begin,
  end,
  finish,
  closed,
  outage,
  system,
  waited,
  operated,
  answered,
};

// Reason of a wait in a `waited` record.
enum class Awaited : std::uint8_t { failure, message, gap, storage, sleep, wire };

inline constexpr std::uint8_t other_flag = 0x40, late_flag = 0x20;

// The file of `rank` in a trace.
inline std::string file_of(const std::string& folder, int rank) {
  return folder + "/rank." + std::to_string(rank);
}

std::uint32_t checksum(const std::uint8_t* data, std::size_t size);

}  // namespace emu::record
