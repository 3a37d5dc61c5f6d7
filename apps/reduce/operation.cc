#include "operation.h"

#include <algorithm>

#include "emu/emu.h"

namespace reduce {
namespace {

constexpr Element prime = 1'000'003;
constexpr Element shift = Element{1} << 32;  // position of an affine map's factor in its word

Element combined(Operator which, Element left, Element right) {
  switch (which) {
    case Operator::sum:
      return left + right;
    case Operator::max:
      return std::max(left, right);
    case Operator::user:
      return (left + right) % prime;
    case Operator::affine:
      break;
  }
  const Element factor = left / shift * (right / shift) % prime;
  return factor * shift + (right / shift * (left % shift) + right % shift) % prime;
}

template <Operator which>
void combine(void* from, void* into, int* count, MPI_Datatype*) {
  const auto* left = static_cast<const Element*>(from);
  auto* right = static_cast<Element*>(into);
  for (int i = 0; i < *count; ++i) right[i] = combined(which, left[i], right[i]);
}

double declared_per_element = 0;  // of the only Operation that exists

template <Operator which>
void combine_and_declare(void* from, void* into, int* count, MPI_Datatype* type) {
  combine<which>(from, into, count, type);
  emu_compute(*count * declared_per_element);
}

MPI_User_function* declaring(Operator which) {
  switch (which) {
    case Operator::sum:
      return &combine_and_declare<Operator::sum>;
    case Operator::max:
      return &combine_and_declare<Operator::max>;
    case Operator::user:
      return &combine_and_declare<Operator::user>;
    case Operator::affine:
      break;
  }
  return &combine_and_declare<Operator::affine>;
}

}  // namespace

Operation::Operation(Operator which, double seconds_per_byte)
    : which_(which), seconds_per_byte_(seconds_per_byte), op_(which == Operator::max ? MPI_MAX : MPI_SUM) {
  if (which == Operator::user) MPI_Op_create(&combine<Operator::user>, 1, &op_);
  if (which == Operator::affine) MPI_Op_create(&combine<Operator::affine>, 0, &op_);
  declared_per_element = seconds_per_byte * sizeof(Element);
  MPI_Op_create(reduce::declaring(which), which == Operator::affine ? 0 : 1, &declaring_);
}

Operation::~Operation() {
  if (which_ == Operator::user || which_ == Operator::affine) MPI_Op_free(&op_);
  MPI_Op_free(&declaring_);
}

void Operation::apply(std::span<const Element> from, std::span<Element> into) const {
  MPI_Reduce_local(from.data(), into.data(), static_cast<int>(into.size()), MPI_INT64_T, op_);
  emu_compute(static_cast<double>(into.size_bytes()) * seconds_per_byte_);
}

namespace {

Element element(Operator which, int reduction, int worker, std::size_t i) {
  const Element plain = reduction + 1 + 7 * static_cast<Element>(worker) + static_cast<Element>(i);
  return which == Operator::affine ? (plain % prime) * shift + worker + 1 : plain;
}

}  // namespace

Vector Operation::input(int reduction, int worker, std::size_t count) const {
  Vector input(count);
  for (std::size_t i = 0; i < count; ++i) input[i] = element(which_, reduction, worker, i);
  emu_compute(static_cast<double>(count * sizeof(Element)) * seconds_per_byte_);
  return input;
}

bool Operation::right(int reduction, const std::vector<int>& workers, std::span<const Element> result) const {
  // Checks all elements of a short vector, and of a long one as many as are checked quickly.
  const std::size_t step = std::max<std::size_t>(1, result.size() * workers.size() / 1'000'000);
  for (std::size_t i = 0; i < result.size(); i += step) {
    Element expected = element(which_, reduction, workers[0], i);
    for (std::size_t w = 1; w < workers.size(); ++w)
      expected = combined(which_, expected, element(which_, reduction, workers[w], i));
    if (result[i] != expected) return false;
  }
  return true;
}

}  // namespace reduce
