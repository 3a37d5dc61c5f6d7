// Operations of one rank in little memory: 16 bytes each, and what depends on them.
#pragma once

#include <cstdint>
#include <vector>

#include "reader.h"

namespace emu::goal {

struct Operation16 {
  std::int64_t amount;  // bytes of a message, or units of time
  std::int32_t tag;
  std::uint32_t peer : 30;
  std::uint32_t kind : 2;

  Kind what() const { return static_cast<Kind>(kind); }
};

// The operation `of` waits for the start of another one, or for its end.
struct Dependent {
  std::uint32_t of : 31;
  std::uint32_t end : 1;
};

class Part {
 public:
  Part() = default;
  explicit Part(const Block& block);

  int size() const { return static_cast<int>(operations_.size()); }
  const Operation16& operator[](int i) const { return operations_[static_cast<std::size_t>(i)]; }
  // Each operation requires the one before it, and that is all.
  bool chain() const { return chain_; }

  // Where it is no chain: what waits for the start of `i`, and for its end.
  template <class F>
  void each_dependent(int i, bool end, F f) const {
    if (first_.empty()) return;
    const auto place = static_cast<std::size_t>(i);
    for (std::uint32_t at = first_[place]; at < first_[place + 1]; ++at)
      if (dependents_[at].end == (end ? 1u : 0u)) f(static_cast<int>(dependents_[at].of));
  }
  bool starts_others(int i) const {
    bool any = false;
    each_dependent(i, false, [&](int) { any = true; });
    return any;
  }
  // How many dependencies of each operation there are.
  std::vector<std::uint32_t> missing() const;
  // The longest `calc`, in units of time.
  std::int64_t longest() const;

 private:
  std::vector<Operation16> operations_;  // in file order
  std::vector<std::uint32_t> first_;     // of each operation's dependents, the first; empty: there are none
  std::vector<Dependent> dependents_;
  bool chain_ = true;
};

}  // namespace emu::goal
