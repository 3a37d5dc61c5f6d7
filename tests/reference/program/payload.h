// Contents of messages and collectives of random programs, in which the player can detect every wrong
// byte.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "reference/program/program.h"
#include "reference/program/random.h"

namespace emu::reference {

// As much of a message's number as fits (identity()), then bytes that depend on number, place and program.
inline std::vector<char> payload(std::uint64_t program, int message, Bytes bytes) {
  std::vector<char> data(static_cast<std::size_t>(bytes));
  for (std::size_t i = 0; i < data.size(); ++i) {
    const std::uint64_t place = (i / 8 << 32) ^ static_cast<std::uint64_t>(message);
    data[i] = static_cast<char>(Random::mix(program ^ Random::mix(place)) >> (i % 8 * 8));
  }
  const unsigned char head[4] = {
      static_cast<unsigned char>(message), static_cast<unsigned char>(message >> 8),
      static_cast<unsigned char>(message >> 16), static_cast<unsigned char>(message >> 24)};
  if (bytes > 0) std::memcpy(data.data(), head, bytes < 4 ? 1 : 4);
  return data;
}

// The message number in `data`: identity() of the sent message, if there was no error.
inline int carried(const char* data, Bytes bytes) {
  if (bytes == 0) return -1;
  unsigned char head[4] = {};
  std::memcpy(head, data, bytes < 4 ? 1 : 4);
  return head[0] | head[1] << 8 | head[2] << 16 | static_cast<int>(static_cast<unsigned>(head[3]) << 24);
}

}  // namespace emu::reference
