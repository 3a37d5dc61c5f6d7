// Conversion of a datatype to runs of elements, from its constructors.
#pragma once

#include <mpi.h>

#include "rma/type_map.h"

namespace emu::mpi {

MPI_Count packed_size(MPI_Datatype type);
std::int64_t extent_of(MPI_Datatype type);

// The handle by which all processes know a predefined datatype; MPI_DATATYPE_NULL if the type is derived.
MPI_Datatype predefined(MPI_Datatype type);
// The predefined datatype of which `type` consists; MPI_DATATYPE_NULL if it is empty. Throws Error if there are
// several.
MPI_Datatype basic_of(MPI_Datatype type);

// One element of `type`, as elements of `element`: MPI_BYTE, or the result of basic_of().
Runs flatten(MPI_Datatype type, MPI_Datatype element);
// As flatten(), by means of MPI_Pack. The cost is proportional to the extent of the datatype.
Runs flatten_by_packing(MPI_Datatype type, MPI_Datatype element);

}  // namespace emu::mpi
