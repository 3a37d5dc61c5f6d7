#include "model/collectives/segmented.h"

#include <algorithm>
#include <vector>

namespace emu::model {
namespace {

// `whole` in segments; the last one may be shorter.
struct Segments {
  Slice whole;
  Bytes segment;

  // At least one: uncut data are one segment of any length.
  int count() const {
    return segment >= whole.bytes ? 1 : static_cast<int>((whole.bytes + segment - 1) / segment);
  }
  Slice operator[](int i) const {
    if (segment >= whole.bytes) return whole;
    const Bytes begin = i * segment;
    return part(whole, begin, std::min(segment, whole.bytes - begin));
  }
};

// The next segment is received while the preceding one is sent.
void pass_on(Builder& build, int from, const std::vector<int>& to, const Segments& segments) {
  build.receive(from, segments[0]);
  for (int i = 0; i < segments.count(); ++i) {
    if (i + 1 < segments.count()) build.post_receive(from, segments[i + 1]);
    for (const int child : to) build.post_send(child, segments[i]);
    build.wait();
  }
}

}  // namespace

Schedule bcast_along(Shape shape, int rank, int size, int root, Bytes bytes, Bytes segment) {
  Builder build;
  const Place here = place(shape, rank, size, root);
  const Segments segments{out(0, bytes), segment};
  if (here.parent >= 0) {
    pass_on(build, here.parent, here.children, segments);
    return build.take();
  }
  for (int i = 0; i < segments.count(); ++i) {
    for (const int child : here.children) build.post_send(child, segments[i]);
    build.wait();
  }
  return build.take();
}

Schedule bcast_split_binary(int rank, int size, int root, Bytes bytes, Bytes segment) {
  const Bytes first = (bytes + 1) / 2;
  // As Open MPI: data up to the length of a segment are not split.
  if (bytes == first || (segment != AlgorithmChoice::whole && bytes - first < segment))
    return bcast_along(Shape::chain, rank, size, root, bytes, segment);
  Builder build;
  const Segments halves[2] = {{out(0, first), segment}, {out(first, bytes - first), segment}};
  const Place here = place(Shape::binary, rank, size, root);
  const int number = around(rank, -root, size), last = around(root, -1, size);
  const bool alone = size % 2 == 0 && number == size - 1;  // it has no partner
  if (number == 0) {
    for (int i = 0; i < halves[0].count(); ++i)
      for (std::size_t side = 0; side < here.children.size(); ++side)
        if (i < halves[side].count()) build.send(here.children[side], halves[side][i]);
    if (size % 2 == 0) build.send(last, halves[1].whole);
    return build.take();
  }
  const int side = number % 2 == 1 ? 0 : 1;
  pass_on(build, here.parent, here.children, halves[side]);
  if (alone) {
    build.receive(root, halves[1].whole);
    return build.take();
  }
  const int pair = around(rank, side == 0 ? 1 : -1, size);
  build.exchange(pair, halves[side].whole, pair, halves[1 - side].whole);
  return build.take();
}

Schedule reduce_in_segments(Shape shape, int rank, int size, int root, const Reduction& what, Bytes segment,
                            bool in_place) {
  Builder build;
  const Place here = place(shape, rank, size, root);
  const Bytes bytes = what.bytes(),
              whole_elements = segment == AlgorithmChoice::whole
                                   ? segment
                                   : std::max<Bytes>(segment / what.element, 1) * what.element;
  const Slice own = contribution(in_place && rank == root, 0, bytes);
  const bool leaf = here.children.empty();
  const Slice sum = rank == root ? out(0, bytes) : leaf ? own : build.scratch(bytes);
  build.copy(own, sum);
  std::vector<Segments> incoming;
  for (std::size_t i = 0; i < here.children.size(); ++i)
    incoming.push_back({build.scratch(bytes), whole_elements});
  const Segments sums{sum, whole_elements};
  const auto expect = [&](int i) {
    for (std::size_t child = 0; child < incoming.size(); ++child)
      if (i < sums.count()) build.post_receive(here.children[child], incoming[child][i]);
  };
  expect(0);
  build.wait();
  for (int i = 0; i < sums.count(); ++i) {
    for (const Segments& from : incoming) build.combine(from[i], sums[i]);
    expect(i + 1);
    if (here.parent >= 0) build.post_send(here.parent, sums[i]);
    build.wait();
  }
  return build.take();
}

}  // namespace emu::model
