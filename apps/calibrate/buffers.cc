#include "buffers.h"

#include <unistd.h>

#include <algorithm>

namespace calibrate {
namespace {

constexpr std::int64_t page = 4096;

// A message begins a page: the one before has brought nothing of it into a cache.
std::int64_t in_pages(std::int64_t bytes) {
  return (std::max<std::int64_t>(bytes, 1) + page - 1) / page * page;
}

}  // namespace

std::int64_t cache_bytes() {
  constexpr std::int64_t usual = std::int64_t{32} << 20, most = std::int64_t{1} << 30;
  std::int64_t largest = 0;
  for (const int level : {_SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL4_CACHE_SIZE})
    largest = std::max<std::int64_t>(largest, sysconf(level));
  return largest > 0 ? std::min(largest, most) : usual;
}

Buffers::Buffers(std::int64_t longest, bool cold, std::int64_t cache) : cold_(cold) {
  room_ = cold ? in_pages(std::max(2 * cache, 2 * longest)) : std::max<std::int64_t>(longest, 1);
  area_.assign(static_cast<std::size_t>(room_ + (cold ? 2 * cache : 0)), 1);
}

void Buffers::prepare(std::int64_t messages, std::int64_t bytes) {
  if (!cold_ || same_ || at_ + messages * in_pages(bytes) <= room_) return;
  evict();
  at_ = 0;
}

// If the messages need more memory than the area has, they are longer than the caches: then the area is used again.
char* Buffers::next(std::int64_t bytes) {
  if (!cold_ || same_) return area_.data();
  if (at_ + in_pages(bytes) > room_) at_ = 0;
  char* const place = area_.data() + at_;
  at_ += in_pages(bytes);
  return place;
}

void Buffers::evict() {
  constexpr std::size_t line = 64;
  volatile char sum = 0;
  for (std::size_t i = static_cast<std::size_t>(room_); i < area_.size(); i += line)
    sum = static_cast<char>(sum + area_[i]);
}

}  // namespace calibrate
