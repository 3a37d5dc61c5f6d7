// Labels of a block, and the operations that have them. The texts remain in the file.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace emu::goal {

class Labels {
 public:
  void clear() {
    ++generation_;
    count_ = 0;
  }
  // False if the label is there already.
  bool add(std::string_view label, int operation) {
    if (2 * (count_ + 1) > entries_.size()) grow();
    Entry& entry = place(label);
    if (entry.generation == generation_) return false;
    entry = {label, operation, generation_};
    ++count_;
    return true;
  }
  // -1: no operation has it.
  int find(std::string_view label) {
    if (count_ == 0) return -1;
    const Entry& entry = place(label);
    return entry.generation == generation_ ? entry.operation : -1;
  }

 private:
  struct Entry {
    std::string_view label;
    int operation = 0;
    std::uint32_t generation = 0;
  };

  static std::uint64_t hash(std::string_view label) {
    std::uint64_t h = label.size();
    while (!label.empty()) {
      std::uint64_t piece = 0;
      const std::size_t bytes = label.size() < 8 ? label.size() : 8;
      std::memcpy(&piece, label.data(), bytes);
      h = (h ^ piece) * 0x9e3779b97f4a7c15u;
      h ^= h >> 29;
      label.remove_prefix(bytes);
    }
    return h;
  }
  // The entry of the label, or the free entry for it.
  Entry& place(std::string_view label) {
    const std::size_t mask = entries_.size() - 1;
    for (std::size_t i = hash(label) & mask;; i = (i + 1) & mask)
      if (Entry& entry = entries_[i]; entry.generation != generation_ || entry.label == label) return entry;
  }
  void grow() {
    std::vector<Entry> before(entries_.empty() ? 64 : entries_.size() * 2);
    before.swap(entries_);
    for (const Entry& entry : before)
      if (entry.generation == generation_) place(entry.label) = entry;
  }

  std::vector<Entry> entries_;  // a power of two
  std::size_t count_ = 0;
  std::uint32_t generation_ = 1;
};

}  // namespace emu::goal
