// Operands and operations of the reduction: vectors of 64-bit integers whose reduction is known in advance.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace reduce {

using Element = std::int64_t;
using Vector = std::vector<Element>;

enum class Operator {
  sum,
  max,
  user,    // a user-defined function: the sum modulo a prime
  affine,  // composition of maps x -> a x + b modulo a prime; does not commute
};

// An operation and its declared cost. Create it after MPI_Init, and destroy it before MPI_Finalize.
class Operation {
 public:
  // `seconds_per_byte` of one operand, on the reference CPU.
  Operation(Operator which, double seconds_per_byte);
  ~Operation();
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  MPI_Op handle() const { return op_; }
  // This operation with a declaration of its time: for callers that apply it.
  MPI_Op declaring() const { return declaring_; }
  // into := from op into. Declares its time.
  void apply(std::span<const Element> from, std::span<Element> into) const;

  // The input of rank `worker` for reduction number `reduction`. Making it takes as long as combining it.
  Vector input(int reduction, int worker, std::size_t count) const;
  // True if `result` is the reduction of the inputs of these ranks in this order.
  bool right(int reduction, const std::vector<int>& workers, std::span<const Element> result) const;

 private:
  Operator which_;
  double seconds_per_byte_;
  MPI_Op op_;
  MPI_Op declaring_ = MPI_OP_NULL;
};

}  // namespace reduce
