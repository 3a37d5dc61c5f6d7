// Encoding of numbers and calls in the file of a recording (trace.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "skeleton/recording/call.h"

namespace emu::skeleton {

template <class Bytes>
void put(Bytes& to, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) to.push_back(static_cast<char>(value | 0x80));
  to.push_back(static_cast<char>(value));
}

inline std::uint64_t folded(std::int64_t value) {
  return static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63);
}
inline std::int64_t unfolded(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

template <class Bytes>
void put(Bytes& to, const Call& call) {
  put(to, static_cast<std::uint64_t>(call.function));
  for (const std::int64_t part : {std::int64_t{call.comm}, std::int64_t{call.peer}, std::int64_t{call.tag},
                                  call.bytes, std::int64_t{call.source}, std::int64_t{call.source_tag},
                                  std::int64_t{call.unit}, std::int64_t{call.slot}})
    put(to, folded(part));
  put(to, call.list.size());
  for (const std::int64_t part : call.list) put(to, folded(part));
}

// Takes numbers from the front of `left`. After a number that is cut off or too long, all others are 0 and `good` is
// false.
class Taker {
 public:
  explicit Taker(std::string_view bytes) : left_(bytes) {}

  bool good() const { return good_; }
  std::size_t left() const { return left_.size(); }
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !left_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(left_.front());
      left_.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    good_ = false;
    left_ = {};
    return 0;
  }
  std::int64_t signed_number() { return unfolded(number()); }
  std::string_view letters(std::uint64_t count) {
    if (count > left_.size()) good_ = false;
    const std::string_view result = left_.substr(0, good_ ? count : 0);
    left_.remove_prefix(result.size());
    return result;
  }

 private:
  std::string_view left_;
  bool good_ = true;
};

}  // namespace emu::skeleton
