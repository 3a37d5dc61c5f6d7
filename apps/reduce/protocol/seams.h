// Interfaces of the reduction's protocol to the outside: arithmetic on vectors, and a wire to the other ranks. MPI
// implements both (transport.h); the tests implement both without MPI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "reduce/protocol/protocol.h"

namespace reduce {

// Elements of a vector, or of a part of one. A Memory keeps the whole vector alive.
using Memory = std::shared_ptr<std::byte>;

// Arithmetic on elements of one type with one operation.
class Arithmetic {
 public:
  virtual ~Arithmetic() = default;
  virtual Memory make(std::int64_t count) const = 0;
  // The part of `memory` that begins at element `index`.
  virtual Memory part(const Memory& memory, std::int64_t index) const = 0;
  virtual void copy(const Memory& from, const Memory& to, std::int64_t count) const = 0;
  // right := left op right.
  virtual void combine(const Memory& left, const Memory& right, std::int64_t count) const = 0;
  virtual std::int64_t element_bytes() const = 0;
};

class Wire {
 public:
  virtual ~Wire() = default;
  // Messages to one rank arrive in the order of sending, if they arrive.
  virtual void tell(int to, const Control& control) = 0;
  virtual void send(int to, int tag, const Memory& data, std::int64_t count,
                    const Arithmetic& arithmetic) = 0;
  // Returns the number of the transfer, which Peer::arrived() or Peer::missed() gets later.
  virtual int receive(int from, int tag, const Memory& into, std::int64_t count,
                      const Arithmetic& arithmetic) = 0;
  // Neither function will be called for the transfer, and no rank waits for it. Data that still arrives is written
  // to its memory.
  virtual void forget(int transfer) = 0;
  // `rank` is assumed to have failed: do not wait for messages to it.
  virtual void give_up(int rank) = 0;
  virtual double now() = 0;  // seconds
};

}  // namespace reduce
