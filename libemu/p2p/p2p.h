// Point-to-point operations behind the entry points, for all types of counts. All functions throw Error.
#pragma once

#include <mpi.h>

#include "mpi/entry.h"
#include "rank/protocols/request.h"

namespace emu::mpi {

// Elements in the program's memory.
struct Elements {
  const void* address;  // written to by a receive
  MPI_Count count;
  MPI_Datatype type;
};

void send(rank::Rank& rank, const Elements& data, int to, int tag, MPI_Comm comm, rank::Mode mode);
MPI_Request isend(rank::Rank& rank, const Elements& data, int to, int tag, MPI_Comm comm, rank::Mode mode);
void receive(rank::Rank& rank, const Elements& into, int from, int tag, MPI_Comm comm, MPI_Status* status);
MPI_Request ireceive(rank::Rank& rank, const Elements& into, int from, int tag, MPI_Comm comm);
void send_receive(rank::Rank& rank, const Elements& data, int to, int send_tag, const Elements& into,
                  int from, int receive_tag, MPI_Comm comm, MPI_Status* status);
void send_receive_replace(rank::Rank& rank, const Elements& data, int to, int send_tag, int from,
                          int receive_tag, MPI_Comm comm, MPI_Status* status);
MPI_Request isend_receive(rank::Rank& rank, const Elements& data, int to, int send_tag, const Elements& into,
                          int from, int receive_tag, MPI_Comm comm);
MPI_Request isend_receive_replace(rank::Rank& rank, const Elements& data, int to, int send_tag, int from,
                                  int receive_tag, MPI_Comm comm);

// Persistent requests, not started.
MPI_Request persistent_send(rank::Rank& rank, const Elements& data, int to, int tag, MPI_Comm comm,
                            rank::Mode mode);
MPI_Request persistent_receive(rank::Rank& rank, const Elements& into, int from, int tag, MPI_Comm comm);

// Receives the message that a matched probe has found; the handle becomes null.
void receive_matched(rank::Rank& rank, const Elements& into, MPI_Message* message, MPI_Status* status);
MPI_Request ireceive_matched(rank::Rank& rank, const Elements& into, MPI_Message* message);

}  // namespace emu::mpi
