#include "model/collectives/trees.h"

#include <algorithm>

namespace emu::model {
namespace {

// Neighbours as numbers (ranks counted from the root).
namespace by_number {

Place chain(int number, int size) {
  Place place;
  if (number > 0) place.parent = number - 1;
  if (number + 1 < size) place.children.push_back(number + 1);
  return place;
}

// If the lengths of the chains differ, the first ones are longer by one.
Place chains(int number, int size) {
  const int count = std::min(4, size - 1);
  Place place;
  if (count == 0) return place;
  const int shorter = (size - 1) / count, longer = (size - 1) % count;
  for (int i = 0, head = 1; i < count; ++i) {
    const int end = head + shorter + (i < longer ? 1 : 0);
    if (number == 0) place.children.push_back(head);
    if (number >= head && number < end) {
      place.parent = number == head ? 0 : number - 1;
      if (number + 1 < end) place.children.push_back(number + 1);
    }
    head = end;
  }
  return place;
}

// A number's children are on the next level and, except for the root's, have its parity.
Place binary(int number, int size) {
  int level = 1;  // greatest size of this level
  while (number >= 2 * level - 1) level *= 2;
  Place place;
  for (const int child : {number + level, number + 2 * level})
    if (child < size) place.children.push_back(child);
  if (number == 0) return place;
  const int above = level / 2, first_here = level - 1;
  place.parent = number - above;
  if (place.parent >= first_here) place.parent -= above;
  return place;
}

Place knomial(int number, int size) {
  constexpr int radix = 4;
  int step = 1;
  while (step < size && number % (radix * step) == 0) step *= radix;
  Place place;
  if (number > 0) place.parent = number / (radix * step) * (radix * step);
  for (step /= radix; step > 0; step /= radix)
    for (int digit = 1; digit < radix; ++digit)
      if (number + digit * step < size) place.children.push_back(number + digit * step);
  return place;
}

Place doubling(int number, int size) {
  int above = 1;
  while (above <= number) above *= 2;
  Place place;
  if (number > 0) place.parent = number - above / 2;
  for (; number + above < size; above *= 2) place.children.push_back(number + above);
  return place;
}

Place binomial(int number, int size) {
  const int bit = lowest_bit(number, size);
  Place place;
  if (number > 0) place.parent = number - bit;
  for (int child = 1; child < bit && number + child < size; child <<= 1)
    place.children.push_back(number + child);
  return place;
}

}  // namespace by_number

Place numbered(Shape shape, int number, int size) {
  switch (shape) {
    case Shape::chain:
      return by_number::chain(number, size);
    case Shape::chains:
      return by_number::chains(number, size);
    case Shape::binary:
      return by_number::binary(number, size);
    case Shape::knomial:
      return by_number::knomial(number, size);
    case Shape::doubling:
      return by_number::doubling(number, size);
    case Shape::binomial:
      return by_number::binomial(number, size);
  }
  return {};
}

}  // namespace

Place place(Shape shape, int rank, int size, int root) {
  Place found = numbered(shape, around(rank, -root, size), size);
  const auto ranked = [&](int number) { return around(number, root - size, size); };
  if (found.parent >= 0) found.parent = ranked(found.parent);
  for (int& child : found.children) child = ranked(child);
  return found;
}

}  // namespace emu::model
