#include "p2p/generalized.h"

#include <vector>

#include "mpi/convert.h"
#include "mpi/entry.h"
#include "mpi/native.h"
#include "mpi/objects.h"

using emu::mpi::Callbacks;
using emu::mpi::Entry;
using emu::mpi::Error;
using emu::mpi::Generalized;
using emu::mpi::objects;
using emu::mpi::present;
using emu::rank::Rank;

namespace emu::mpi {

namespace {

// Calls `function`, a subroutine with `arguments` and a last one for its result.
template <class Function, class... Arguments>
int subroutine(Function* function, Arguments*... arguments) {
  MPI_Fint error = MPI_SUCCESS;
  const auto called = reinterpret_cast<void (*)()>(function);  // its declared C type is not its real one
  reinterpret_cast<void (*)(Arguments * ..., MPI_Fint*)>(called)(arguments..., &error);
  return static_cast<int>(error);
}

}  // namespace

int Generalized::query(MPI_Status& status) {
  set_empty_status(&status);
  const ProgramRuns callback(process->calls.last);
  if (fortran) {
    MPI_Fint in_fortran[sizeof(MPI_Status) / sizeof(MPI_Fint)];
    PMPI_Status_c2f(&status, in_fortran);
    const int error = subroutine(callbacks_.query, state_, in_fortran);
    PMPI_Status_f2c(in_fortran, &status);
    return error;
  }
  return callbacks_.query ? callbacks_.query(state_, &status) : MPI_SUCCESS;
}

int Generalized::release() {
  const ProgramRuns callback(process->calls.last);
  if (fortran) return subroutine(callbacks_.free, state_);
  return callbacks_.free ? callbacks_.free(state_) : MPI_SUCCESS;
}

int Generalized::cancel() {
  const ProgramRuns callback(process->calls.last);
  if (fortran) {
    MPI_Fint complete = request()->complete() ? 1 : 0;
    return subroutine(callbacks_.cancel, state_, &complete);
  }
  return callbacks_.cancel ? callbacks_.cancel(state_, request()->complete() ? 1 : 0) : MPI_SUCCESS;
}

void Generalized::poll() {
  if (!callbacks_.poll || request()->complete()) return;
  MPI_Status status;
  const ProgramRuns callback(process->calls.last);
  callbacks_.poll(state_, &status);
}

bool Generalized::wait() {
  if (request()->complete() || (!callbacks_.wait && !callbacks_.poll)) return request()->complete();
  MPI_Status status;
  void* state = state_;
  if (!callbacks_.wait) {
    while (!request()->complete()) poll();
    return true;
  }
  const ProgramRuns callback(process->calls.last);
  callbacks_.wait(1, &state, 0, &status);
  return true;
}

}  // namespace emu::mpi

namespace {

MPI_Request start(Rank& rank, const Callbacks& callbacks, void* state) {
  auto made = std::make_unique<Generalized>(rank.deferred(), callbacks, state);
  emu::rank::Request* const request = made->request();
  return objects->requests.add(request, MPI_COMM_WORLD, std::move(made));
}

// The classes of requests that the program has created.
std::vector<Callbacks>& classes() {
  static std::vector<Callbacks>& all = *new std::vector<Callbacks>;
  return all;
}

}  // namespace

extern "C" int MPI_Grequest_start(MPI_Grequest_query_function* query, MPI_Grequest_free_function* free,
                                  MPI_Grequest_cancel_function* cancel, void* state, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Grequest_start(query, free, cancel, state, request);
  return entry.run(MPI_COMM_WORLD, [&](Rank& rank) {
    present(request) = start(rank, {query, free, cancel}, state);
  });
}

// MPICH's Fortran interface calls MPI_Grequest_start with Fortran callbacks, and reports
// that afterwards by this function of its library, which accesses MPICH's request.
extern "C" void MPII_Grequest_set_lang_f77(MPI_Request request) {
  const Entry entry(__func__);
  if (entry.native()) {
    emu::mpi::real<void(MPI_Request)>(__func__)(request);
    return;
  }
  const auto& found = objects->requests.find(request);
  if (found.call && found.call->generalized()) found.call->generalized()->fortran = true;
}

extern "C" int MPI_Grequest_complete(MPI_Request request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Grequest_complete(request);
  return entry.run(MPI_COMM_WORLD, [&](Rank& rank) {
    const auto& found = objects->requests.find(request);
    Generalized* const own = found.call ? found.call->generalized() : nullptr;
    if (!own) throw Error{MPI_ERR_REQUEST, "the request is not a generalized request"};
    if (own->request()->complete()) throw Error{MPI_ERR_REQUEST, "the request is complete already"};
    own->complete();
    if (!own->freed) return;
    emu::rank::Request* const done = own->request();
    objects->requests.remove(request);
    rank.free(done);
  });
}

extern "C" int MPIX_Grequest_start(MPI_Grequest_query_function* query, MPI_Grequest_free_function* free,
                                   MPI_Grequest_cancel_function* cancel, MPIX_Grequest_poll_function* poll,
                                   MPIX_Grequest_wait_function* wait, void* state, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPIX_Grequest_start(query, free, cancel, poll, wait, state, request);
  return entry.run(MPI_COMM_WORLD, [&](Rank& rank) {
    present(request) = start(rank, {query, free, cancel, poll, wait}, state);
  });
}

extern "C" int MPIX_Grequest_class_create(MPI_Grequest_query_function* query,
                                          MPI_Grequest_free_function* free,
                                          MPI_Grequest_cancel_function* cancel,
                                          MPIX_Grequest_poll_function* poll,
                                          MPIX_Grequest_wait_function* wait, MPIX_Grequest_class* out) {
  const Entry entry(__func__);
  if (entry.native()) return PMPIX_Grequest_class_create(query, free, cancel, poll, wait, out);
  return entry.run(MPI_COMM_WORLD, [&](Rank&) {
    present(out) = static_cast<MPIX_Grequest_class>(classes().size());
    classes().push_back({query, free, cancel, poll, wait});
  });
}

extern "C" int MPIX_Grequest_class_allocate(MPIX_Grequest_class kind, void* state, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPIX_Grequest_class_allocate(kind, state, request);
  return entry.run(MPI_COMM_WORLD, [&](Rank& rank) {
    const auto i = static_cast<std::size_t>(kind);
    if (kind < 0 || i >= classes().size()) throw Error{MPI_ERR_ARG, "invalid class of requests"};
    present(request) = start(rank, classes()[i], state);
  });
}
