// Generalized requests: the program completes them, and its callbacks set their statuses.
#pragma once

#include <mpi.h>

#include <memory>

#include "p2p/composite.h"
#include "rank/protocols/deferred.h"

namespace emu::mpi {

// The program's callbacks; `poll` and `wait`, of MPICH's extension, may be null.
struct Callbacks {
  MPI_Grequest_query_function* query = nullptr;
  MPI_Grequest_free_function* free = nullptr;
  MPI_Grequest_cancel_function* cancel = nullptr;
  MPIX_Grequest_poll_function* poll = nullptr;
  MPIX_Grequest_wait_function* wait = nullptr;
};

class Generalized final : public Composite {
 public:
  Generalized(std::unique_ptr<rank::Deferred> deferred, const Callbacks& callbacks, void* state)
      : deferred_(std::move(deferred)), callbacks_(callbacks), state_(state) {}

  Generalized* generalized() override { return this; }
  rank::Request* request() const { return deferred_->request(); }
  void complete() { deferred_->finish(); }
  bool freed = false;  // by the program; the request is removed when it is complete
  bool fortran =
      false;  // the callbacks are Fortran subroutines, which return their result in a last argument

  // Each function calls the program, which may call MPI, and returns the result.
  // Sets the status of the complete request.
  int query(MPI_Status& status);
  // Releases the program's data of the request.
  int release();
  int cancel();
  // Calls the program's callback that checks for completion, or that waits for it: false, if there is no such callback.
  void poll();
  bool wait();

 private:
  const std::unique_ptr<rank::Deferred> deferred_;
  const Callbacks callbacks_;
  void* const state_;
};

}  // namespace emu::mpi
