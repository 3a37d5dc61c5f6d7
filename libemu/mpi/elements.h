// The basic elements of a datatype, in the order of its type map. MPICH counts the
// elements of a message, but miscounts some datatypes, and ends the process for others.
#pragma once

#include <mpi.h>

#include <cstddef>

#include "model/network.h"

namespace emu::mpi {

// `bytes` packed bytes, fewer than an element has, fill the front of the element at `to`; memory behind is unchanged.
// False if they end inside a basic element, which stays unchanged; if `type` has no gaps, any number is accepted, as in
// MPICH.
bool unpack_front(const std::byte* from, model::Bytes bytes, void* to, MPI_Datatype type);

}  // namespace emu::mpi
