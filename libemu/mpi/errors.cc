#include "mpi/errors.h"

#include <optional>

#include "comm/error_handlers.h"
#include "mpi/entry.h"
#include "mpi/objects.h"
#include "process/log.h"

namespace emu::mpi {

int apply_handler(const char* call, const Error& error, MPI_Errhandler handler, void* object,
                  const std::function<void()>& ask) {
  if (handler == MPI_ERRORS_ARE_FATAL || handler == MPI_ERRORS_ABORT)
    stop_job(of_rank(call) + error.message, 1);
  const bool returns = handler == MPI_ERRORS_RETURN;
  const MPI_Errhandler asked = handler;
  PMPI_Errhandler_free(&handler);
  if (returns) return error.code;
  const ProgramRuns own_code(call);
  const std::optional<int> code = call_handler(asked, object, error.code);
  if (!code) ask();
  return code.value_or(error.code);
}

int handle_error(const char* call, MPI_Comm comm, const Error& error) {
  if (error.handler_called) return error.code;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  if (error.comm != MPI_COMM_NULL) comm = error.comm;
  comm = objects->communicators.handling(comm);
  if (error.code == MPI_ERR_COMM || PMPI_Comm_get_errhandler(comm, &handler) != MPI_SUCCESS) {
    comm = MPI_COMM_WORLD;
    PMPI_Comm_get_errhandler(comm, &handler);
  }
  return apply_handler(call, error, handler, &comm, [&] { PMPI_Comm_call_errhandler(comm, error.code); });
}

int handle_error(const char* call, MPI_File file, const Error& error) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  PMPI_File_get_errhandler(file, &handler);
  return apply_handler(call, error, handler, &file, [&] { PMPI_File_call_errhandler(file, error.code); });
}

int answer_error(const char* call, MPI_Comm comm, const Error& error) {
  const Entry entry(call);
  if (!entry.native()) return handle_error(call, comm, error);
  return error.code;  // below a call of the program, which continues
}

}  // namespace emu::mpi
