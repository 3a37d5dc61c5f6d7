// Runs of a datatype's elements, from how the program made it.
#pragma once

#include <mpi.h>

#include "rma/type_map.h"

namespace emu::mpi {

MPI_Count packed_size(MPI_Datatype type);
std::int64_t extent_of(MPI_Datatype type);

// The same datatype, by the handle that all processes know it by; MPI_DATATYPE_NULL if it is derived.
MPI_Datatype predefined(MPI_Datatype type);
// The predefined datatype that it is made of; MPI_DATATYPE_NULL: of nothing. Throws Error if there are several.
MPI_Datatype basic_of(MPI_Datatype type);

// One element of `type`, as elements of `element`: MPI_BYTE, or what basic_of() says.
Runs flatten(MPI_Datatype type, MPI_Datatype element);
// The same by what MPI_Pack does. It costs what the datatype spans.
Runs flatten_by_packing(MPI_Datatype type, MPI_Datatype element);

}  // namespace emu::mpi
