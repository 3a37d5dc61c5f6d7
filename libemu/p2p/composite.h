// Request that is made of several messages: a collective in the background, a send and a receive.
#pragma once

namespace emu::mpi {

class Generalized;

class Composite {
 public:
  virtual ~Composite() = default;
  // It is done: brings the result to where it belongs. Once is enough.
  virtual void store() {}
  // It is done: throws Error if it has failed for a reason of its own.
  virtual void check() const {}
  // This, if the program itself says when it is done (p2p/generalized.h).
  virtual Generalized* generalized() { return nullptr; }
  // Whether it needs this operation or datatype of the program's itself. (No two handles of theirs are the same.)
  virtual bool uses(int) const { return false; }
};

}  // namespace emu::mpi
