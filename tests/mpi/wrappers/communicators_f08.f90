! Communicators of all kinds by the module of 2012, most of whose routines call PMPI_* directly. For two ranks or more.
program communicators_f08
  use mpi_f08
  implicit none
  type(MPI_Comm) :: copy, half, line, bridge, both
  type(MPI_Group) :: group
  integer :: rank, size, own, members, remote, total, coordinate(1), compared, parity
  logical :: periods(1), is_bridge
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  parity = mod(rank, 2)
  call MPI_Comm_dup(MPI_COMM_WORLD, copy)
  call MPI_Comm_compare(MPI_COMM_WORLD, copy, compared)
  if (compared /= MPI_CONGRUENT) call MPI_Abort(MPI_COMM_WORLD, 1)
  call MPI_Comm_split(copy, parity, -rank, half)
  call MPI_Comm_rank(half, own)
  call MPI_Comm_size(half, members)
  if (own /= members - 1 - rank / 2 .or. members /= (size + 1 - parity) / 2) call MPI_Abort(MPI_COMM_WORLD, 2)
  call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, half)
  if (total /= members * (members - 1 + parity)) call MPI_Abort(MPI_COMM_WORLD, 3)
  call MPI_Intercomm_create(half, members - 1, copy, 1 - parity, 7, bridge)
  call MPI_Comm_test_inter(bridge, is_bridge)
  call MPI_Comm_remote_size(bridge, remote)
  if (.not. is_bridge .or. remote /= size - members) call MPI_Abort(MPI_COMM_WORLD, 4)
  call MPI_Intercomm_merge(bridge, parity == 1, both)
  call MPI_Comm_size(both, total)
  if (total /= size) call MPI_Abort(MPI_COMM_WORLD, 5)
  periods(1) = .true.
  call MPI_Cart_create(both, 1, [size], periods, .false., line)
  call MPI_Cart_coords(line, rank, 1, coordinate)
  call MPI_Comm_group(line, group)
  call MPI_Group_size(group, total)
  if (coordinate(1) /= rank .or. total /= size) call MPI_Abort(MPI_COMM_WORLD, 6)
  call MPI_Group_free(group)
  if (rank == 0) print '(a, i0, a, i0)', 'half: ', members, ', rank ', own
  call MPI_Comm_free(line)
  call MPI_Comm_free(both)
  call MPI_Comm_free(bridge)
  call MPI_Comm_free(half)
  call MPI_Comm_free(copy)
  call MPI_Barrier(MPI_COMM_WORLD)
  call MPI_Finalize()
end program
