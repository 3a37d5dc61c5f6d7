// Arguments of one-sided operations, and the two forms of their entry points.
#pragma once

#include <mpi.h>

#include <optional>

#include "p2p/p2p.h"
#include "rma/windows.h"

namespace emu::mpi {

// Location at a target.
struct Remote {
  int rank;
  MPI_Aint displacement;
  MPI_Count count;
  MPI_Datatype type;
};

// A one-sided operation as the program requests it.
struct RmaOp {
  WindowOperation::Kind kind;
  MPI_Op op = MPI_OP_NULL;
  std::optional<Elements> data;     // sent to the target
  std::optional<Elements> compare;  // sent behind the data
  std::optional<Elements> result;   // destination of the former values
};

RmaOp put(const Elements& data);
RmaOp get(const Elements& into);
RmaOp accumulate(const Elements& data, MPI_Op op);
RmaOp get_accumulate(const Elements& data, const Elements& result, MPI_Op op);

// Returns the result of the entry point.
int operate(const Entry& entry, MPI_Win win, const RmaOp& operation, const Remote& target);
// `request` completes when the operation is complete at the origin.
int operate(const Entry& entry, MPI_Win win, const RmaOp& operation, const Remote& target,
            MPI_Request* request);

}  // namespace emu::mpi
