// Operands and operations of the reduction: vectors of 64-bit integers, whose reduction is known in advance.
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
  user,    // a function of the program's own: the sum modulo a prime
  affine,  // x -> a x + b modulo a prime, one after another: does not commute
};

// An operation and what it is declared to cost. Made after MPI_Init, gone before MPI_Finalize.
class Operation {
 public:
  // `seconds_per_byte` of one operand, on the reference CPU.
  Operation(Operator which, double seconds_per_byte);
  ~Operation();
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  MPI_Op handle() const { return op_; }
  // The same, and takes its time by itself: for who applies it.
  MPI_Op declaring() const { return declaring_; }
  // into := from op into; takes its time.
  void apply(std::span<const Element> from, std::span<Element> into) const;

  // Rank `worker`'s input of reduction number `reduction`. Making it takes as long as combining one.
  Vector input(int reduction, int worker, std::size_t count) const;
  // Whether `result` is the reduction of these ranks' inputs, in this order.
  bool right(int reduction, const std::vector<int>& workers, std::span<const Element> result) const;

 private:
  Operator which_;
  double seconds_per_byte_;
  MPI_Op op_;
  MPI_Op declaring_ = MPI_OP_NULL;
};

}  // namespace reduce
