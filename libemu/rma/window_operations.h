// Arguments of one-sided operations, and the two forms of their entry points.
#pragma once

#include <mpi.h>

#include <optional>

#include "p2p/p2p.h"
#include "rma/windows.h"

namespace emu::mpi {

// At a target.
struct Remote {
  int rank;
  MPI_Aint displacement;
  MPI_Count count;
  MPI_Datatype type;
};

// What the program asks for.
struct RmaOp {
  WindowOperation::Kind kind;
  MPI_Op op = MPI_OP_NULL;
  std::optional<Elements> data;     // what travels there
  std::optional<Elements> compare;  // behind that
  std::optional<Elements> result;   // where goes what was there before
};

RmaOp put(const Elements& data);
RmaOp get(const Elements& into);
RmaOp accumulate(const Elements& data, MPI_Op op);
RmaOp get_accumulate(const Elements& data, const Elements& result, MPI_Op op);

// What the entry point returns.
int operate(const Entry& entry, MPI_Win win, const RmaOp& operation, const Remote& target);
// `request` stands for it until it is complete at the origin.
int operate(const Entry& entry, MPI_Win win, const RmaOp& operation, const Remote& target,
            MPI_Request* request);

}  // namespace emu::mpi
