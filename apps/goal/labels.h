// Labels of a block, and the operations that have them. The texts remain in the file.
//
// Most blocks number their operations without a gap: l0, l1, l2, ... Then a label contains the place of its operation,
// and no table is needed. A block with other labels is read again, with a table.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace emu::goal {

class Labels {
 public:
  enum class Added { yes, twice, not_numbered };

  // Labels of the next block are numbered, until use_table() is called.
  void clear() {
    ++generation_;
    count_ = 0;
    numbered_ = true;
  }
  void use_table() {
    clear();
    numbered_ = false;
  }
  // twice: the label exists already. not_numbered: all labels of the block need the table.
  Added add(std::string_view label, int operation) {
    if (numbered_) return add_numbered(label, operation) ? Added::yes : Added::not_numbered;
    if (2 * (count_ + 1) > entries_.size()) grow();
    Entry& entry = place(label);
    if (entry.generation == generation_) return Added::twice;
    entry = {label, operation, generation_};
    ++count_;
    return Added::yes;
  }
  // The operation with this label; -1: there is none.
  int find(std::string_view label) {
    if (count_ == 0) return -1;
    if (numbered_) return label.starts_with(prefix_) ? place_of(number_of(label)) : -1;
    const Entry& entry = place(label);
    return entry.generation == generation_ ? entry.operation : -1;
  }

  // For numbered labels: the text before the number, kept from block to block; and the operation of a number, or -1.
  bool numbered() const { return numbered_; }
  std::string_view prefix() const { return prefix_; }
  int place_of(std::int64_t number) const {
    const std::int64_t place = number - first_;
    return place >= 0 && place < static_cast<std::int64_t>(count_) ? static_cast<int>(place) : -1;
  }
  // Gives `operation` the label of the prefix and this number. False: the number is out of sequence.
  bool add_numbered(std::int64_t number, int operation) {
    if (count_ == 0) first_ = number;
    if (operation != static_cast<int>(count_) || number != first_ + operation) return false;
    ++count_;
    return true;
  }

 private:
  static constexpr std::size_t most_digits = 15;  // of a number in a label

  // The number after the prefix, if it has no leading zeros; otherwise -1.
  std::int64_t number_of(std::string_view label) const {
    label.remove_prefix(prefix_.size());
    if (label.empty() || label.size() > most_digits || (label.size() > 1 && label[0] == '0')) return -1;
    std::int64_t number = 0;
    for (const char c : label) {
      if (c < '0' || c > '9') return -1;
      number = 10 * number + (c - '0');
    }
    return number;
  }
  bool add_numbered(std::string_view label, int operation) {
    if (count_ == 0) {
      std::size_t end = label.size();
      while (end > 0 && label[end - 1] >= '0' && label[end - 1] <= '9') --end;
      prefix_ = label.substr(0, end);
    }
    const std::int64_t number = label.starts_with(prefix_) ? number_of(label) : -1;
    return number >= 0 && add_numbered(number, operation);
  }

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

  bool numbered_ = true;
  std::string_view prefix_;
  std::int64_t first_ = 0;      // number of operation 0
  std::vector<Entry> entries_;  // their number is a power of two
  std::size_t count_ = 0;
  std::uint32_t generation_ = 1;
};

}  // namespace emu::goal
