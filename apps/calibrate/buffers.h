// Memory from which messages are sent and into which they are received: warm or cold.
#pragma once

#include <cstdint>
#include <vector>

namespace calibrate {

// Bytes of the largest cache of a core here; a usual size if the system does not tell.
std::int64_t cache_bytes();

class Buffers {
 public:
  // `longest`: bytes of the longest message. Warm: every message has the same memory. Cold: each message has another
  // part of an area, of which no byte is used again before more than `cache` other bytes have been used.
  explicit Buffers(std::int64_t longest = 1, bool cold = false, std::int64_t cache = cache_bytes());

  bool cold() const { return cold_; }
  // All messages from here on have the same memory, or again parts of the area.
  void stay(bool same) { same_ = same; }
  // To be called before `messages` messages of `bytes` bytes. May take long: other memory is read until no byte that
  // these messages use is in a cache.
  void prepare(std::int64_t messages, std::int64_t bytes);
  // The memory for the next message.
  char* next(std::int64_t bytes);

 private:
  void evict();

  const bool cold_;
  bool same_ = false;
  std::int64_t at_ = 0;    // the next message's memory begins here
  std::int64_t room_ = 0;  // of the area, for messages; behind it is what evict() reads
  std::vector<char> area_;
};

}  // namespace calibrate
