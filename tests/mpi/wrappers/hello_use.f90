! Says hello to the next rank, by the module of 1997.
program hello_use
  use mpi
  implicit none
  integer :: error, rank, size, value, status(MPI_STATUS_SIZE), request
  call MPI_INIT(error)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, error)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, size, error)
  call MPI_ISEND(rank, 1, MPI_INTEGER, mod(rank + 1, size), 0, MPI_COMM_WORLD, request, error)
  call MPI_RECV(value, 1, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status, error)
  call MPI_WAIT(request, MPI_STATUS_IGNORE, error)
  if (status(MPI_SOURCE) /= value) call MPI_ABORT(MPI_COMM_WORLD, 1, error)
  call MPI_BARRIER(MPI_COMM_WORLD, error)
  if (rank == 0) print '(a, i0)', 'hello from ', value
  call MPI_FINALIZE(error)
end program
