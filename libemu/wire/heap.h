// Memory for messages in the shared region. Each rank takes blocks for what it sends; the receiver gives a
// block back to the rank it came from. Blocks have sizes of powers of two; spans of fresh memory come from a
// common counter.
#pragma once

#include <array>
#include <cstdint>

#include "base/failure.h"
#include "match/message.h"
#include "wire/table.h"

namespace emu::wire {

class Heap {
 public:
  Heap(std::byte* base, std::size_t bytes, Table& table, int self)
      : base_(base), bytes_(bytes), table_(table), self_(self) {}

  // Null if the region is full.
  match::Message* allocate(model::Bytes payload);
  void release(match::Message* message);

  std::uint64_t offset(const match::Message* m) const {
    return static_cast<std::uint64_t>(reinterpret_cast<const std::byte*>(m) - base_);
  }
  match::Message* at(std::uint64_t offset) const { return reinterpret_cast<match::Message*>(base_ + offset); }

 private:
  static constexpr int smallest = 8;  // 256 bytes: a message of 16 bytes and its header
  static constexpr int classes = 40;
  static constexpr std::uint64_t span = 64 << 10;

  static int class_of(model::Bytes bytes);
  static std::uint64_t home(int owner, int cls) {
    return static_cast<std::uint64_t>(owner) << 8 | static_cast<std::uint64_t>(cls);
  }
  void collect();  // what receivers gave back
  std::uint64_t carve(int cls);

  struct Class {
    std::uint64_t free = 0;   // offset of the first free block, linked; 0: none
    std::uint64_t fresh = 0;  // the rest of the span under way
    std::uint64_t end = 0;
  };
  std::byte* base_;
  std::size_t bytes_;
  Table& table_;
  int self_;
  std::array<Class, classes> classes_{};
};

}  // namespace emu::wire
