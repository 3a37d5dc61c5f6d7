// Operations of one rank in little memory: 16 bytes each, and their dependents.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
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
Operation16 packed(const Step& step);

struct StreamedBlock;  // stream.h

// Operation `of` waits for the start or for the end of another operation.
struct Dependent {
  std::uint32_t of : 31;
  std::uint32_t end : 1;
};

class Part {
 public:
  Part() = default;
  explicit Part(const Block& block);
  // A part that remains in the text. Only Order can access its operations.
  explicit Part(std::shared_ptr<const StreamedBlock> block) : streamed_(std::move(block)), chain_(false) {}

  // Null if the part is in memory.
  const StreamedBlock* streamed() const { return streamed_.get(); }
  int size() const { return static_cast<int>(operations_.size()); }
  const Operation16& operator[](int i) const { return operations_[static_cast<std::size_t>(i)]; }
  // True if each operation requires its predecessor, and there are no other dependencies.
  bool chain() const { return chain_; }

  // If the part is not a chain: calls f for each operation that waits for the start (or the end) of `i`.
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
  // The number of dependencies of each operation.
  std::vector<std::uint32_t> missing() const;
  // The longest `calc`, in units of time.
  std::int64_t longest() const;
  // Memory of the part in bytes, with an Order of it.
  std::int64_t bytes() const;

 private:
  std::shared_ptr<const StreamedBlock> streamed_;
  std::vector<Operation16> operations_;  // in file order
  std::vector<std::uint32_t> first_;  // index of the first dependent of each operation; empty: no dependents
  std::vector<Dependent> dependents_;
  bool chain_ = true;
};

}  // namespace emu::goal
