// Interfaces of the reduction's protocol to the outside: arithmetic on vectors, and a wire to the other ranks. MPI
// implements both (transport.h); the tests have a world of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "reduce/protocol/protocol.h"

namespace reduce {

// Elements of a vector, or of part of one. Who holds a Memory keeps all of it alive.
using Memory = std::shared_ptr<std::byte>;

// Elements of one type, and one operation on them.
class Arithmetic {
 public:
  virtual ~Arithmetic() = default;
  virtual Memory make(std::int64_t count) const = 0;
  // The part of `memory` from element `index` on.
  virtual Memory part(const Memory& memory, std::int64_t index) const = 0;
  virtual void copy(const Memory& from, const Memory& to, std::int64_t count) const = 0;
  // right := left op right.
  virtual void combine(const Memory& left, const Memory& right, std::int64_t count) const = 0;
  virtual std::int64_t element_bytes() const = 0;
};

class Wire {
 public:
  virtual ~Wire() = default;
  // Messages to one rank arrive in the order in which they were sent, if they arrive.
  virtual void tell(int to, const Control& control) = 0;
  virtual void send(int to, int tag, const Memory& data, std::int64_t count,
                    const Arithmetic& arithmetic) = 0;
  // Returns the transfer's number: Peer::arrived() or Peer::missed() is called with it later.
  virtual int receive(int from, int tag, const Memory& into, std::int64_t count,
                      const Arithmetic& arithmetic) = 0;
  // Neither of the two will be called, and nobody waits for the transfer. What comes all the same goes into
  // its memory.
  virtual void forget(int transfer) = 0;
  // `rank` is held for failed: what is on its way to it is not waited for.
  virtual void give_up(int rank) = 0;
  virtual double now() = 0;  // seconds
};

}  // namespace reduce
