// What is reduced: vectors of 64-bit integers, whose reduction is known in advance; and the operations.
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
  user,  // a function of the program's own: the sum modulo a prime
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
  // into := from op into; takes its time.
  void apply(std::span<const Element> from, std::span<Element> into) const;

  // Worker number `worker`'s input of reduction number `reduction`. Making it takes as long as combining one.
  Vector input(int reduction, int worker, std::size_t count) const;
  // Whether `result` is the reduction of all workers' inputs.
  bool right(int reduction, int workers, std::span<const Element> result) const;

 private:
  Operator which_;
  double seconds_per_byte_;
  MPI_Op op_;
};

}  // namespace reduce
