! Communicators of all kinds by the interface of 1994. For two ranks or more.
program communicators_include
  implicit none
  include 'mpif.h'
  integer :: copy, half, line, bridge, both, group, error, dims(1)
  integer :: rank, size, own, members, remote, total, coordinate(1), compared, parity
  logical :: periods(1), is_bridge
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, size, error)
  parity = mod(rank, 2)
  call MPI_Comm_dup(MPI_COMM_WORLD, copy, error)
  call MPI_Comm_compare(MPI_COMM_WORLD, copy, compared, error)
  if (compared /= MPI_CONGRUENT) call MPI_Abort(MPI_COMM_WORLD, 1, error)
  call MPI_Comm_split(copy, parity, -rank, half, error)
  call MPI_Comm_rank(half, own, error)
  call MPI_Comm_size(half, members, error)
  if (own /= members - 1 - rank / 2 .or. members /= (size + 1 - parity) / 2) call MPI_Abort(MPI_COMM_WORLD, 2, error)
  call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, half, error)
  if (total /= members * (members - 1 + parity)) call MPI_Abort(MPI_COMM_WORLD, 3, error)
  call MPI_Intercomm_create(half, members - 1, copy, 1 - parity, 7, bridge, error)
  call MPI_Comm_test_inter(bridge, is_bridge, error)
  call MPI_Comm_remote_size(bridge, remote, error)
  if (.not. is_bridge .or. remote /= size - members) call MPI_Abort(MPI_COMM_WORLD, 4, error)
  call MPI_Intercomm_merge(bridge, parity == 1, both, error)
  call MPI_Comm_size(both, total, error)
  if (total /= size) call MPI_Abort(MPI_COMM_WORLD, 5, error)
  periods(1) = .true.
  dims(1) = size
  call MPI_Cart_create(both, 1, dims, periods, .false., line, error)
  call MPI_Cart_coords(line, rank, 1, coordinate, error)
  call MPI_Comm_group(line, group, error)
  call MPI_Group_size(group, total, error)
  if (coordinate(1) /= rank .or. total /= size) call MPI_Abort(MPI_COMM_WORLD, 6, error)
  call MPI_Group_free(group, error)
  if (rank == 0) print '(a, i0, a, i0)', 'half: ', members, ', rank ', own
  call MPI_Comm_free(line, error)
  call MPI_Comm_free(both, error)
  call MPI_Comm_free(bridge, error)
  call MPI_Comm_free(half, error)
  call MPI_Comm_free(copy, error)
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call MPI_Finalize(error)
end program
