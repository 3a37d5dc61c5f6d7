// The basic elements of a datatype, in the order of its type map. MPICH says how many are in a message, but miscounts some datatypes, and
// ends the process for others.
#pragma once

#include <mpi.h>

#include <cstddef>

#include "model/network.h"

namespace emu::mpi {

// `bytes` packed bytes, fewer than an element of `type` has, fill its front at `to`; nothing behind them is touched. False if they end
// inside a basic element, which stays as it was; unless the memory of `type` has no gaps: then any number of bytes will do, as in MPICH.
bool unpack_front(const std::byte* from, model::Bytes bytes, void* to, MPI_Datatype type);

}  // namespace emu::mpi
