#include <algorithm>
#include <numeric>
#include <vector>

#include "model/collectives/builder.h"
#include "model/intercollectives.h"

namespace emu::model {

namespace {

using Side = InterRoot::Side;

constexpr Bytes short_limit = 2048;  // MPICH's limit for gather and scatter

// The steps of one rank, with parts that several operations share.
class Inter : public Builder {
 public:
  explicit Inter(const Sides& sides) : sides_(sides) {}

  void local(const Schedule& part, const Slice& input, const Slice& output) {
    nest(part, sides_.near(0), input, output);
  }
  // The leader sends `what` to the other group's leader.
  void tell_others(const Slice& what) {
    if (sides_.rank == 0 && what.bytes > 0) send(sides_.far(0), what);
  }
  // The leader receives data of the other group's rank `from`, and broadcasts them in the own group.
  void hear(int from, const Slice& into) {
    if (into.bytes == 0) return;
    if (sides_.rank == 0) receive(sides_.far(from), into);
    local(bcast(sides_.rank, sides_.own, 0, into.bytes), {}, into);
  }
  // Transfers in both directions; the one from the first group goes first.
  template <class Give, class Take>
  void in_turn(Give give, Take take) {
    if (sides_.first) give();
    take();
    if (!sides_.first) give();
  }
  // Reduces to the leader of the own group, which sends the result to the other group's rank `to`.
  void give_reduced(int to, const Reduction& what) {
    const Slice sum = sides_.rank == 0 ? scratch(what.bytes()) : Slice{};
    local(reduce(sides_.rank, sides_.own, 0, what), in(0, 0), sum);
    if (sides_.rank == 0 && what.count > 0) send(sides_.far(to), sum);
  }

 private:
  const Sides sides_;
};

Bytes sum(std::span<const Block> blocks) {
  return std::accumulate(blocks.begin(), blocks.end(), Bytes{0},
                         [](Bytes all, const Block& b) { return all + b.bytes; });
}

}  // namespace

Schedule inter_barrier(const Sides& sides) {
  Inter b(sides);
  b.local(barrier(sides.rank, sides.own), {}, {});
  const Slice byte = b.scratch(1);
  b.in_turn([&] { b.tell_others(byte); }, [&] { b.hear(0, byte); });
  return b.take();
}

Schedule inter_bcast(const Sides& sides, const InterRoot& root, Bytes bytes) {
  Inter b(sides);
  if (root.side == Side::self && bytes > 0) b.send(sides.far(0), out(0, bytes));
  if (root.side == Side::other) b.hear(root.rank, out(0, bytes));
  return b.take();
}

Schedule inter_gather(const Sides& sides, const InterRoot& root, Bytes block) {
  Inter b(sides);
  if (block == 0 || root.side == Side::own) return b.take();
  const int givers = root.side == Side::self ? sides.other : sides.own;
  if (block * givers < short_limit) {
    if (root.side == Side::self) {
      b.receive(sides.far(0), out(0, block * givers));
      return b.take();
    }
    const Slice all = sides.rank == 0 ? b.scratch(block * givers) : Slice{};
    b.local(gather(sides.rank, sides.own, 0, block), in(0, 0), all);
    if (sides.rank == 0) b.send(sides.far(root.rank), all);
  } else if (root.side == Side::self) {
    for (int i = 0; i < givers; ++i) b.receive(sides.far(i), out(block * i, block));
  } else {
    b.send(sides.far(root.rank), in(0, block));
  }
  return b.take();
}

Schedule inter_gatherv(const Sides& sides, const InterRoot& root, Bytes own, std::span<const Block> blocks) {
  Inter b(sides);
  if (root.side == Side::other && own > 0) b.send(sides.far(root.rank), in(0, own));
  if (root.side != Side::self) return b.take();
  for (int i = 0; i < sides.other; ++i)
    if (const Block& part = blocks[static_cast<std::size_t>(i)]; part.bytes > 0)
      b.post_receive(sides.far(i), out(part.offset, part.bytes));
  b.wait();
  return b.take();
}

Schedule inter_scatter(const Sides& sides, const InterRoot& root, Bytes block) {
  Inter b(sides);
  if (block == 0 || root.side == Side::own) return b.take();
  const int takers = root.side == Side::self ? sides.other : sides.own;
  if (block * takers < short_limit) {
    if (root.side == Side::self) {
      b.send(sides.far(0), in(0, block * takers));
      return b.take();
    }
    const Slice all = sides.rank == 0 ? b.scratch(block * takers) : Slice{};
    if (sides.rank == 0) b.receive(sides.far(root.rank), all);
    b.local(scatter(sides.rank, sides.own, 0, block), all, out(0, 0));
  } else if (root.side == Side::self) {
    for (int i = 0; i < takers; ++i) b.send(sides.far(i), in(block * i, block));
  } else {
    b.receive(sides.far(root.rank), out(0, block));
  }
  return b.take();
}

Schedule inter_scatterv(const Sides& sides, const InterRoot& root, std::span<const Block> blocks, Bytes own) {
  Inter b(sides);
  if (root.side == Side::other && own > 0) b.receive(sides.far(root.rank), out(0, own));
  if (root.side != Side::self) return b.take();
  for (int i = 0; i < sides.other; ++i)
    if (const Block& part = blocks[static_cast<std::size_t>(i)]; part.bytes > 0)
      b.post_send(sides.far(i), in(part.offset, part.bytes));
  b.wait();
  return b.take();
}

Schedule inter_allgather(const Sides& sides, Bytes block, Bytes coming) {
  Inter b(sides);
  const Slice all = sides.rank == 0 ? b.scratch(block * sides.own) : Slice{};
  b.local(gather(sides.rank, sides.own, 0, block), in(0, 0), all);
  b.in_turn([&] { b.tell_others(all); }, [&] { b.hear(0, out(0, coming * sides.other)); });
  return b.take();
}

Schedule inter_allgatherv(const Sides& sides, Bytes own, std::span<const Block> blocks) {
  Inter b(sides);
  const Slice all = b.scratch(sum(blocks));
  const auto take = [&] {
    if (sides.rank != 0) return;
    Bytes at = 0;
    for (int i = 0; i < sides.other; ++i) {
      const Bytes bytes = blocks[static_cast<std::size_t>(i)].bytes;
      if (bytes > 0) b.post_receive(sides.far(i), part(all, at, bytes));
      at += bytes;
    }
    b.wait();
  };
  if (sides.first) take();
  if (own > 0) b.send(sides.far(0), in(0, own));
  if (!sides.first) take();
  b.local(bcast(sides.rank, sides.own, 0, all.bytes), {}, all);
  Bytes at = 0;
  for (const Block& block : blocks) {
    b.copy(part(all, at, block.bytes), out(block.offset, block.bytes));
    at += block.bytes;
  }
  return b.take();
}

Schedule inter_alltoallv(const Sides& sides, std::span<const Block> sends, std::span<const Block> receives) {
  Inter b(sides);
  const int rounds = std::max(sides.own, sides.other);
  for (int i = 0; i < rounds; ++i) {
    const int from = around(sides.rank, -i, rounds), to = (sides.rank + i) % rounds;
    if (from < sides.other) {
      const Block& part = receives[static_cast<std::size_t>(from)];
      b.post_receive(sides.far(from), out(part.offset, part.bytes));
    }
    if (to < sides.other) {
      const Block& part = sends[static_cast<std::size_t>(to)];
      b.post_send(sides.far(to), in(part.offset, part.bytes));
    }
    b.wait();
  }
  return b.take();
}

Schedule inter_reduce(const Sides& sides, const InterRoot& root, const Reduction& what) {
  Inter b(sides);
  if (what.count == 0) return b.take();
  if (root.side == Side::self) b.receive(sides.far(0), out(0, what.bytes()));
  if (root.side == Side::other) b.give_reduced(root.rank, what);
  return b.take();
}

Schedule inter_allreduce(const Sides& sides, const Reduction& what) {
  Inter b(sides);
  if (what.count == 0) return b.take();
  const Slice own = sides.rank == 0 ? b.scratch(what.bytes()) : Slice{}, theirs = out(0, what.bytes());
  b.local(reduce(sides.rank, sides.own, 0, what), in(0, 0), own);
  if (sides.rank == 0) b.exchange(sides.far(0), own, sides.far(0), theirs);
  b.local(bcast(sides.rank, sides.own, 0, theirs.bytes), {}, theirs);
  return b.take();
}

Schedule inter_names(const Sides& sides, const Reduction& what, Bytes bytes) {
  Inter b(sides);
  const Slice result = out(0, what.bytes()), own = part(result, 0, bytes), theirs = out(what.bytes(), bytes);
  b.local(allreduce(sides.rank, sides.own, what), in(0, 0), result);
  if (sides.rank == 0) b.exchange(sides.far(0), own, sides.far(0), theirs);
  b.local(bcast(sides.rank, sides.own, 0, bytes), {}, theirs);
  return b.take();
}

Schedule inter_trade(const Sides& sides, Bytes own, Bytes theirs) {
  Inter b(sides);
  if (sides.rank == 0) b.exchange(sides.far(0), in(0, own), sides.far(0), out(0, theirs));
  b.local(bcast(sides.rank, sides.own, 0, theirs), {}, out(0, theirs));
  return b.take();
}

Schedule inter_reduce_scatter(const Sides& sides, std::span<const Bytes> counts, const Reduction& what) {
  Inter b(sides);
  std::vector<Block> blocks;
  Reduction all = what;
  all.count = 0;
  for (const Bytes count : counts) {
    blocks.push_back({all.bytes(), count * what.element});
    all.count += count;
  }
  if (all.count == 0) return b.take();
  const Slice sum = sides.rank == 0 ? b.scratch(all.bytes()) : Slice{};
  const auto take = [&] {
    if (sides.rank == 0) b.receive(sides.far(0), sum);
  };
  if (sides.first) take();
  b.give_reduced(0, all);
  if (!sides.first) take();
  const Bytes own = blocks[static_cast<std::size_t>(sides.rank)].bytes;
  b.local(scatterv(sides.rank, sides.own, 0, blocks, own), sum, out(0, 0));
  return b.take();
}

Schedule inter_reduce_scatter_block(const Sides& sides, const Reduction& what) {
  Inter b(sides);
  if (what.count == 0) return b.take();
  Reduction all = what;
  all.count *= sides.own;
  const Slice sum = sides.rank == 0 ? b.scratch(all.bytes()) : Slice{};
  const auto take = [&] {
    if (sides.rank == 0) b.receive(sides.far(0), sum);
  };
  if (sides.first) take();
  b.give_reduced(0, all);
  if (!sides.first) take();
  b.local(scatter(sides.rank, sides.own, 0, what.bytes()), sum, out(0, 0));
  return b.take();
}

}  // namespace emu::model
