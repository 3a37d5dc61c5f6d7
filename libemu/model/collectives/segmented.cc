#include "model/collectives/segmented.h"

#include <algorithm>
#include <vector>

namespace emu::model {
namespace {

// Where a rank stands; -1: it has no parent.
struct Place {
  int parent = -1;
  std::vector<int> children;
};

// Numbers are ranks counted from the root. Those below the left child of a binary tree are odd, those below the right one even: in
// each level a number's children are the next of its kind.
Place binary_place(int rank, int size, int root) {
  const auto ranked = [&](int number) { return around(number, root - size, size); };
  const int number = around(rank, -root, size);
  int level = 1;  // how many numbers this level can have
  while (number >= 2 * level - 1) level *= 2;
  Place place;
  for (const int child : {number + level, number + 2 * level})
    if (child < size) place.children.push_back(ranked(child));
  if (number == 0) return place;
  const int above = level / 2, first_here = level - 1;
  int parent = number - above;
  if (parent >= first_here) parent -= above;
  place.parent = ranked(parent);
  return place;
}

Place chain_place(int rank, int size, int root) {
  const int number = around(rank, -root, size);
  Place place;
  if (number > 0) place.parent = around(rank, -1, size);
  if (number + 1 < size) place.children.push_back(around(rank, 1, size));
  return place;
}

Place binomial_place(int rank, int size, int root) {
  const int number = around(rank, -root, size);
  const int bit = lowest_bit(number, size);
  Place place;
  if (number > 0) place.parent = around(rank, -bit, size);
  for (int child = 1; child < bit && number + child < size; child <<= 1)
    place.children.push_back(around(rank, child, size));
  return place;
}

// `whole` in segments, the last one of which may be shorter.
struct Segments {
  Slice whole;
  Bytes segment;

  int count() const { return static_cast<int>((whole.bytes + segment - 1) / segment); }
  Slice operator[](int i) const {
    const Bytes begin = i * segment;
    return part(whole, begin, std::min(segment, whole.bytes - begin));
  }
};

// The next segment comes while the one before goes on.
void pass_on(Builder& build, int from, const std::vector<int>& to, const Segments& segments) {
  build.receive(from, segments[0]);
  for (int i = 0; i < segments.count(); ++i) {
    if (i + 1 < segments.count()) build.post_receive(from, segments[i + 1]);
    for (const int child : to) build.post_send(child, segments[i]);
    build.wait();
  }
}

}  // namespace

Schedule bcast_pipeline(int rank, int size, int root, Bytes bytes, Bytes segment) {
  Builder build;
  const Place place = chain_place(rank, size, root);
  const Segments segments{out(0, bytes), segment};
  if (place.parent >= 0) {
    pass_on(build, place.parent, place.children, segments);
    return build.take();
  }
  for (int i = 0; i < segments.count(); ++i)
    for (const int child : place.children) build.send(child, segments[i]);
  return build.take();
}

Schedule bcast_split_binary(int rank, int size, int root, Bytes bytes, Bytes segment) {
  const Bytes first = (bytes + 1) / 2;
  // As Open MPI: what is not longer than a segment is not worth it.
  if (bytes - first < segment) return bcast_pipeline(rank, size, root, bytes, segment);
  Builder build;
  const Segments halves[2] = {{out(0, first), segment}, {out(first, bytes - first), segment}};
  const Place place = binary_place(rank, size, root);
  const int number = around(rank, -root, size), last = around(root, -1, size);
  const bool alone = size % 2 == 0 && number == size - 1;  // it has no pair
  if (number == 0) {
    for (int i = 0; i < halves[0].count(); ++i)
      for (std::size_t side = 0; side < place.children.size(); ++side)
        if (i < halves[side].count()) build.send(place.children[side], halves[side][i]);
    if (size % 2 == 0) build.send(last, halves[1].whole);
    return build.take();
  }
  const int side = number % 2 == 1 ? 0 : 1;
  pass_on(build, place.parent, place.children, halves[side]);
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
  const Place place = shape == Shape::chain    ? chain_place(rank, size, root)
                      : shape == Shape::binary ? binary_place(rank, size, root)
                                               : binomial_place(rank, size, root);
  const Bytes bytes = what.bytes(),
              whole_elements = std::max<Bytes>(segment / what.element, 1) * what.element;
  const Slice own = contribution(in_place && rank == root, 0, bytes);
  const bool leaf = place.children.empty();
  const Slice sum = rank == root ? out(0, bytes) : leaf ? own : build.scratch(bytes);
  build.copy(own, sum);
  std::vector<Segments> incoming;
  for (std::size_t i = 0; i < place.children.size(); ++i)
    incoming.push_back({build.scratch(bytes), whole_elements});
  const Segments sums{sum, whole_elements};
  const auto expect = [&](int i) {
    for (std::size_t child = 0; child < incoming.size(); ++child)
      if (i < sums.count()) build.post_receive(place.children[child], incoming[child][i]);
  };
  expect(0);
  build.wait();
  for (int i = 0; i < sums.count(); ++i) {
    for (const Segments& from : incoming) build.combine(from[i], sums[i]);
    expect(i + 1);
    if (place.parent >= 0) build.post_send(place.parent, sums[i]);
    build.wait();
  }
  return build.take();
}

}  // namespace emu::model
