#include "mpi/cancels.h"

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <string>

namespace emu::mpi {

namespace {

// Whether a name stands in the program's file: that of a symbol ends with a null byte.
bool names(const std::string& program, std::initializer_list<const char*> any) {
  return std::any_of(any.begin(), any.end(), [&](const char* name) {
    return program.find(std::string(name) + '\0') != std::string::npos;
  });
}

}  // namespace

bool program_cancels_sends() {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  const std::string program{std::istreambuf_iterator<char>(file), {}};
  return names(program, {"MPI_Cancel", "mpi_cancel_", "mpi_cancel_f08_"}) &&
         names(program, {"MPI_Isend",        "MPI_Issend",        "MPI_Ibsend",        "MPI_Irsend",
                         "MPI_Send_init",    "MPI_Ssend_init",    "MPI_Bsend_init",    "MPI_Rsend_init",
                         "mpi_isend_",       "mpi_issend_",       "mpi_ibsend_",       "mpi_irsend_",
                         "mpi_send_init_",   "mpi_ssend_init_",   "mpi_bsend_init_",   "mpi_rsend_init_",
                         "mpi_isend_f08ts_", "mpi_issend_f08ts_", "mpi_ibsend_f08ts_", "mpi_irsend_f08ts_",
                         "mpi_isend_f08_",   "mpi_issend_f08_"});
}

}  // namespace emu::mpi
