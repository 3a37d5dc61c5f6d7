#include "operation.h"

#include "emu/emu.h"

namespace reduce {
namespace {

constexpr Element prime = 1'000'003;

extern "C" void add_modulo(void* from, void* into, int* count, MPI_Datatype*) {
  const auto* a = static_cast<const Element*>(from);
  auto* b = static_cast<Element*>(into);
  for (int i = 0; i < *count; ++i) b[i] = (a[i] + b[i]) % prime;
}

Element element(int reduction, int worker, std::size_t i) {
  return reduction + 1 + 7 * static_cast<Element>(worker) + static_cast<Element>(i);
}

}  // namespace

Operation::Operation(Operator which, double seconds_per_byte)
    : which_(which), seconds_per_byte_(seconds_per_byte), op_(which == Operator::max ? MPI_MAX : MPI_SUM) {
  if (which == Operator::user) MPI_Op_create(&add_modulo, 1, &op_);
}

Operation::~Operation() {
  if (which_ == Operator::user) MPI_Op_free(&op_);
}

void Operation::apply(std::span<const Element> from, std::span<Element> into) const {
  MPI_Reduce_local(from.data(), into.data(), static_cast<int>(into.size()), MPI_INT64_T, op_);
  emu_compute(static_cast<double>(into.size_bytes()) * seconds_per_byte_);
}

Vector Operation::input(int reduction, int worker, std::size_t count) const {
  Vector input(count);
  for (std::size_t i = 0; i < count; ++i) input[i] = element(reduction, worker, i);
  emu_compute(static_cast<double>(count * sizeof(Element)) * seconds_per_byte_);
  return input;
}

bool Operation::right(int reduction, int workers, std::span<const Element> result) const {
  const Element n = workers;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const Element sum = n * element(reduction, 0, i) + 7 * (n * (n - 1) / 2);
    const Element expected = which_ == Operator::max   ? element(reduction, workers - 1, i)
                             : which_ == Operator::sum ? sum
                                                       : sum % prime;
    // One input alone is never combined, and so not taken modulo the prime.
    if (result[i] != (workers == 1 ? element(reduction, 0, i) : expected)) return false;
  }
  return true;
}

}  // namespace reduce
