// Request that consists of several messages: a collective in the background, or a send and a receive.
#pragma once

namespace emu::mpi {

class Generalized;

class Composite {
 public:
  virtual ~Composite() = default;
  // The operation is done: moves the result to its place. Further calls have no effect.
  virtual void store() {}
  // The operation is done: throws Error if it has failed for a reason of its own.
  virtual void check() const {}
  // This object, if the program itself completes the request (p2p/generalized.h).
  virtual Generalized* generalized() { return nullptr; }
  // True if the request still needs this operation or datatype of the program. (Their handles have different values.)
  virtual bool uses(int) const { return false; }
};

}  // namespace emu::mpi
