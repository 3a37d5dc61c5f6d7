! Says hello to the next rank, by the module of 2012, most of whose routines call PMPI_* directly.
program hello_f08
  use mpi_f08
  implicit none
  integer :: rank, size, value
  type(MPI_Status) :: status
  type(MPI_Request) :: request
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  call MPI_Isend(rank, 1, MPI_INTEGER, mod(rank + 1, size), 0, MPI_COMM_WORLD, request)
  call MPI_Recv(value, 1, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  if (status%MPI_SOURCE /= value) call MPI_Abort(MPI_COMM_WORLD, 1)
  call MPI_Barrier(MPI_COMM_WORLD)
  if (rank == 0) print '(a, i0)', 'hello from ', value
  call MPI_Finalize()
end program
