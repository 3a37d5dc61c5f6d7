// Requests of the program's own: it says when they are complete, and its callbacks what their statuses are.
#pragma once

#include <mpi.h>

#include <memory>

#include "p2p/composite.h"
#include "rank/deferred.h"

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
  bool freed = false;  // by the program; what is left of it goes when it is complete
  bool fortran =
      false;  // the callbacks are subroutines of Fortran, which give their result by a last argument

  // Each calls the program, which may call MPI; what it returns.
  // What is to be said of the request, which is complete.
  int query(MPI_Status& status);
  // The program gives up what it keeps for the request.
  int release();
  int cancel();
  // Lets the program look whether it is complete, or see to it that it is: false, if it has given no such callback.
  void poll();
  bool wait();

 private:
  const std::unique_ptr<rank::Deferred> deferred_;
  const Callbacks callbacks_;
  void* const state_;
};

}  // namespace emu::mpi
