// What goes on when ranks have failed: rank/semantics.md, "Failures that are noticed".
#include <algorithm>
#include <cstring>

#include "model/collectives.h"
#include "rank/rank.h"

namespace emu::rank {
namespace {

// What a member says, or is told: a flag, a yes or no, and a byte for each member of the communicator.
struct Words {
  explicit Words(const Communicator& comm) : bytes(8 + comm.world.size()) {}
  std::vector<std::byte> bytes;

  int flag() const { return get(0); }
  bool yes() const { return get(4) != 0; }
  bool of(int member) const { return bytes[8 + static_cast<std::size_t>(member)] != std::byte{0}; }
  void set(int flag, bool yes) {
    put(0, flag);
    put(4, yes ? 1 : 0);
  }
  void set(int member) { bytes[8 + static_cast<std::size_t>(member)] = std::byte{1}; }

 private:
  int get(std::size_t at) const {
    std::int32_t n;
    std::memcpy(&n, bytes.data() + at, sizeof n);
    return n;
  }
  void put(std::size_t at, std::int32_t n) { std::memcpy(bytes.data() + at, &n, sizeof n); }
};

}  // namespace

Rank::Agreement Rank::agree(Communicator& comm, int flag) {
  const int tag = ++comm.agreements, size = comm.size();
  const auto fails = [&](int member) { return failures_.at(comm.world[static_cast<std::size_t>(member)]); };
  const auto knows = [&](int member) {
    return comm.acknowledged &&
           failures_.known(comm.world[static_cast<std::size_t>(member)]) <= *comm.acknowledged;
  };
  int speaker = 0;
  for (int i = 1; i < size; ++i)
    if (fails(i) > fails(speaker)) speaker = i;
  Words own(comm), agreed(comm);
  own.set(flag, true);
  for (int i = 0; i < size; ++i)
    if (knows(i)) own.set(i);
  if (comm.rank != speaker) {
    tell(comm, speaker, tag, own.bytes);
    (void)hear(comm, speaker, tag, agreed.bytes, Instant::never());  // it does not fail before this rank
  } else {
    std::vector<Words> words(static_cast<std::size_t>(size), own);
    std::vector<char> heard(static_cast<std::size_t>(size), 1);
    for (int i = 0; i < size; ++i)
      if (i != speaker)
        heard[static_cast<std::size_t>(i)] =
            hear(comm, i, tag, words[static_cast<std::size_t>(i)].bytes, Instant::never());
    int all = flag;
    for (int i = 0; i < size; ++i) {
      if (!heard[static_cast<std::size_t>(i)] || has_failed(comm.world[static_cast<std::size_t>(i)]))
        continue;
      agreed.set(i);
      all &= words[static_cast<std::size_t>(i)].flag();
    }
    bool acknowledged = true;
    for (int i = 0; i < size; ++i)
      for (int dead = 0; dead < size; ++dead)
        if (agreed.of(i) && !agreed.of(dead))
          acknowledged = acknowledged && words[static_cast<std::size_t>(i)].of(dead);
    agreed.set(all, acknowledged);
    for (int i = 0; i < size; ++i)
      if (i != speaker && agreed.of(i)) tell(comm, i, tag, agreed.bytes);
  }
  wire_.running(clock_.now());  // as after a join
  Agreement result{agreed.flag(), agreed.yes(), std::vector<char>(static_cast<std::size_t>(size))};
  for (int i = 0; i < size; ++i) result.alive[static_cast<std::size_t>(i)] = agreed.of(i);
  return result;
}

void Rank::pay_agreement(const Communicator& members, model::Bytes bytes) {
  const auto ignore = [](void*, const std::byte*, std::byte*, model::Bytes) {};
  std::vector<std::byte> input(static_cast<std::size_t>(bytes)), output(input.size());
  (void)run(members,
            model::allreduce(members.rank, members.size(), model::Reduction{bytes / 8, 8, true, true}),
            Memory{input.data(), output.data(), ignore, nullptr});
}

}  // namespace emu::rank
