// The forms of a collective operation, which take the same arguments.
#pragma once

#include <emu/emu.h>
#include <mpi.h>

#include <cstdlib>
#include <type_traits>

template <class... P>
struct Forms {
  int (*blocking)(P...);
  int (*background)(P..., MPI_Request*);
  int (*persistent)(P..., MPI_Info, MPI_Request*);
};
template <class... P, class Background, class Persistent>
Forms(int (*)(P...), Background, Persistent) -> Forms<P...>;

// FORMS(Bcast, bcast): MPI_Bcast, MPI_Ibcast, MPI_Bcast_init. LARGE_FORMS: those with counts of type MPI_Count.
#define FORMS(Name, name) \
  Forms { MPI_##Name, MPI_I##name, MPI_##Name##_init }
#define LARGE_FORMS(Name, name) \
  Forms { MPI_##Name##_c, MPI_I##name##_c, MPI_##Name##_init_c }

// Performs a persistent operation several times, `before(time)` and `after()` around each. Natively, the blocking form
// replaces it, because MPICH 4.0.2 fails ("Invalid communicator") in programs with more than a few persistent ones.
template <class Init, class Blocking, class Before, class After>
MPI_Request perform_persistent(int times, Init init, Blocking blocking, Before before, After after) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (emu_active()) init(&request);
  for (int time = 0; time < times; ++time) {
    before(time);
    if (emu_active()) {
      MPI_Start(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      if (request == MPI_REQUEST_NULL) std::abort();
    } else {
      blocking();
    }
    after();
  }
  if (emu_active()) MPI_Request_free(&request);
  return request;
}

// Performs the operation by its blocking form, in the background, and twice by its persistent form.
template <class Before, class After, class... P>
void perform_all(const Forms<P...>& forms, Before before, After after, std::type_identity_t<P>... with) {
  MPI_Request request = MPI_REQUEST_NULL;
  before();
  forms.blocking(with...);
  after();
  before();
  forms.background(with..., &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  after();
  perform_persistent(
      2, [&](MPI_Request* r) { forms.persistent(with..., MPI_INFO_NULL, r); },
      [&] { forms.blocking(with...); }, [&](int) { before(); }, after);
}
