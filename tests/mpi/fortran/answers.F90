! What Fortran has of its own: LOGICAL, indices from 1, constants that stand for addresses, callbacks. Compiled for each of the three
! interfaces: INCLUDE_FILE (mpif.h), USE_MPI, USE_F08. What a rank finds out goes to its file in the folder ANSWERS.
#if defined USE_F08
#define COMM type(MPI_Comm)
#define GROUP type(MPI_Group)
#define REQUEST type(MPI_Request)
#define STATUS type(MPI_Status)
#define DATATYPE type(MPI_Datatype)
#define OPERATION type(MPI_Op)
#define ERRHANDLER type(MPI_Errhandler)
#define INFO type(MPI_Info)
#define WINDOW type(MPI_Win)
#define FILE_HANDLE type(MPI_File)
#define OF(status, field) status%field
#else
#define COMM integer
#define GROUP integer
#define REQUEST integer
#define STATUS integer, dimension(MPI_STATUS_SIZE)
#define DATATYPE integer
#define OPERATION integer
#define ERRHANDLER integer
#define INFO integer
#define WINDOW integer
#define FILE_HANDLE integer
#define OF(status, field) status(field)
#endif
#if defined INCLUDE_FILE
#define DECLARATIONS include 'mpif.h'
#define USED
#elif defined USE_MPI
#define DECLARATIONS
#define USED use mpi
#else
#define DECLARATIONS
#define USED use mpi_f08
#endif

module answers
  implicit none
  integer :: out = 10, called = 0
contains
  subroutine tell(what, values)
    character(len=*), intent(in) :: what
    integer, intent(in) :: values(:)
    write (out, '(a, 40(1x, i0))') what // ':', values
  end subroutine
  subroutine truths(what, values)
    character(len=*), intent(in) :: what
    logical, intent(in) :: values(:)
    write (out, '(a, 40(1x, l1))') what // ':', values
    ! A LOGICAL of C is 1; that it is one of Fortran shows only in what is computed with it.
    write (out, '(a, 40(1x, l1))') 'not ' // what // ':', .not. values
  end subroutine
end module

module callbacks
  use answers
  implicit none
contains
  subroutine copy_attribute(old, key, extra, given, copied, flag, ierror)
    USED
    DECLARATIONS
    COMM :: old
    integer :: key, ierror
    integer(MPI_ADDRESS_KIND) :: extra, given, copied
    logical :: flag
    called = called + 1
    copied = given + extra
    flag = given /= 13
    ierror = MPI_SUCCESS
  end subroutine

  subroutine delete_attribute(old, key, value, extra, ierror)
    USED
    DECLARATIONS
    COMM :: old
    integer :: key, ierror
    integer(MPI_ADDRESS_KIND) :: value, extra
    called = called + 100
    write (out, '(a, 2(1x, i0))') 'deleted:', value, extra
    ierror = MPI_SUCCESS
  end subroutine

  subroutine delete_at_the_end(old, key, value, extra, ierror)
    USED
    DECLARATIONS
    COMM :: old
    integer :: key, ierror, given, total
    integer(MPI_ADDRESS_KIND) :: value, extra
    logical :: over
    call MPI_Finalized(over, ierror)
    call truths('finalized', [over])
    given = int(value)
    call MPI_Allreduce(given, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    call tell('sum at the end', [given, total])
    ierror = MPI_SUCCESS
  end subroutine

  subroutine note_error(where, code)
    USED
    DECLARATIONS
    COMM :: where
    integer :: code, class, ierror
    call MPI_Error_class(code, class, ierror)
    call tell('error handler', [class])
  end subroutine

#if defined USE_F08
  subroutine combine(from_address, into_address, length, kind_of)
    use, intrinsic :: iso_c_binding
    use mpi_f08
    type(c_ptr), value :: from_address, into_address
    integer :: length
    type(MPI_Datatype) :: kind_of
    integer, pointer :: from(:), into(:)
    call c_f_pointer(from_address, from, [length])
    call c_f_pointer(into_address, into, [length])
    into = 2 * from - into
  end subroutine
#else
  subroutine combine(from, into, length, kind_of)
    integer :: length, kind_of
    integer :: from(length), into(length)
    into = 2 * from - into
  end subroutine
#endif

  subroutine query(extra, status, ierror)
    USED
    DECLARATIONS
    integer(MPI_ADDRESS_KIND) :: extra
    STATUS :: status
    integer :: ierror
    call MPI_Status_set_elements(status, MPI_INTEGER, int(extra), ierror)
    call MPI_Status_set_cancelled(status, .false., ierror)
    OF(status, MPI_SOURCE) = 5
    OF(status, MPI_TAG) = 6
    ierror = MPI_SUCCESS
  end subroutine

  subroutine release(extra, ierror)
    USED
    DECLARATIONS
    integer(MPI_ADDRESS_KIND) :: extra
    integer :: ierror
    called = called + 1
    ierror = MPI_SUCCESS
  end subroutine

  subroutine cancelled(extra, complete, ierror)
    USED
    DECLARATIONS
    integer(MPI_ADDRESS_KIND) :: extra
    logical :: complete
    integer :: ierror
    write (out, '(a, 1x, l1)') 'cancelled, complete:', complete
    ierror = MPI_SUCCESS
  end subroutine
end module

program fortran
  USED
  use answers
  use callbacks
  implicit none
  DECLARATIONS
  integer :: rank, size, right, left, ierror
  character(len=200) :: folder
  character(len=12) :: name

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  call get_environment_variable('ANSWERS', folder)
  write (name, '(a, i0)') '/rank', rank
  open (newunit=out, file=trim(folder) // trim(name))
  right = mod(rank + 1, size)
  left = mod(rank + size - 1, size)
  call flags_and_indices()
  call addresses()
  call collectives()
  call topologies()
  call attributes()
  call errors()
  call own_requests()
  call words()
  call windows_and_files()
  call MPI_Finalize(ierror)
  close (out)

contains

  subroutine flags_and_indices()
    integer :: i, given(4), taken(4), index, count, indices(4)
    REQUEST :: requests(4), none(2)
    STATUS :: one
#if defined USE_F08
    type(MPI_Status) :: several(4)
#else
    integer :: several(MPI_STATUS_SIZE, 4)
#endif
    logical :: flag
    given = [(100 * rank + i, i = 1, 4)]
    none = MPI_REQUEST_NULL
    do i = 1, 4
      call MPI_Irecv(taken(i), 1, MPI_INTEGER, left, i, MPI_COMM_WORLD, requests(i), ierror)
    end do
    call MPI_Send(given(3), 1, MPI_INTEGER, right, 3, MPI_COMM_WORLD, ierror)
    call MPI_Waitany(4, requests, index, one, ierror)
    call tell('waitany', [index, OF(one, MPI_SOURCE), OF(one, MPI_TAG), taken(3)])
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
    call MPI_Send(given(1), 1, MPI_INTEGER, right, 1, MPI_COMM_WORLD, ierror)
    call MPI_Waitsome(4, requests, count, indices, MPI_STATUSES_IGNORE, ierror)
    call tell('waitsome', [count, indices(1:count), taken(1)])
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
    call MPI_Send(given(4), 1, MPI_INTEGER, right, 4, MPI_COMM_WORLD, ierror)
    flag = .false.
    do while (.not. flag)
      call MPI_Testany(4, requests, index, flag, MPI_STATUS_IGNORE, ierror)
    end do
    call tell('testany', [index, taken(4)])
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
    call MPI_Send(given(2), 1, MPI_INTEGER, right, 2, MPI_COMM_WORLD, ierror)
    count = 0
    do while (count == 0)
      call MPI_Testsome(4, requests, count, indices, several, ierror)
    end do
#if defined USE_F08
    call tell('testsome', [count, indices(1), several(1)%MPI_TAG, taken])
#else
    call tell('testsome', [count, indices(1), several(MPI_TAG, 1), taken])
#endif
    call MPI_Testany(2, none, index, flag, one, ierror)
    call truths('testany of none', [flag, index == MPI_UNDEFINED, OF(one, MPI_SOURCE) == MPI_ANY_SOURCE])
    call MPI_Waitsome(2, none, count, indices, MPI_STATUSES_IGNORE, ierror)
    call truths('waitsome of none', [count == MPI_UNDEFINED])
    call MPI_Testall(2, none, flag, MPI_STATUSES_IGNORE, ierror)
    call truths('testall of none', [flag])

    call MPI_Barrier(MPI_COMM_WORLD, ierror)
    call MPI_Iprobe(left, 99, MPI_COMM_WORLD, flag, MPI_STATUS_IGNORE, ierror)
    call truths('nothing probed', [flag])
    call MPI_Isend(given, 4, MPI_INTEGER, right, 7, MPI_COMM_WORLD, requests(1), ierror)
    call MPI_Probe(left, MPI_ANY_TAG, MPI_COMM_WORLD, one, ierror)
    call MPI_Get_count(one, MPI_INTEGER, count, ierror)
    call tell('probed', [count, OF(one, MPI_TAG)])
    call MPI_Recv(taken, 4, MPI_INTEGER, left, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierror)
    call MPI_Irecv(taken, 4, MPI_INTEGER, left, 8, MPI_COMM_WORLD, requests(1), ierror)
    call MPI_Cancel(requests(1), ierror)
    call MPI_Wait(requests(1), one, ierror)
    call MPI_Test_cancelled(one, flag, ierror)
    call truths('cancelled', [flag, requests(1) == MPI_REQUEST_NULL])
    call MPI_Send_init(given, 2, MPI_INTEGER, right, 9, MPI_COMM_WORLD, requests(1), ierror)
    call MPI_Recv_init(taken, 2, MPI_INTEGER, left, 9, MPI_COMM_WORLD, requests(2), ierror)
    do i = 1, 2
      given(1) = 1000 * i + rank
      call MPI_Startall(2, requests, ierror)
      call MPI_Waitall(2, requests, several, ierror)
      call tell('persistent', taken(1:2))
    end do
    call MPI_Request_free(requests(1), ierror)
    call MPI_Request_free(requests(2), ierror)
  end subroutine

  ! MPI_BOTTOM with absolute addresses, on both sides.
  subroutine addresses()
    integer, save, asynchronous :: first, second(3)
    integer(MPI_ADDRESS_KIND) :: where(2)
    DATATYPE :: both
    first = rank + 1
    second = [10, 20, 30] * (rank + 1)
    call MPI_Get_address(first, where(1), ierror)
    call MPI_Get_address(second, where(2), ierror)
    call MPI_Type_create_struct(2, [1, 3], where, [MPI_INTEGER, MPI_INTEGER], both, ierror)
    call MPI_Type_commit(both, ierror)
    call MPI_Bcast(MPI_BOTTOM, 1, both, size - 1, MPI_COMM_WORLD, ierror)
    call tell('bottom broadcast', [first, second])
    first = first + rank
    call MPI_Sendrecv_replace(MPI_BOTTOM, 1, both, right, 0, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    call tell('bottom replaced', [first, second])
    call MPI_Type_free(both, ierror)
  end subroutine

  subroutine collectives()
    integer :: i, values(2), all(2, size), parts(size), all_parts(size)
    OPERATION :: own
    REQUEST :: request
    logical :: flag
    values = [rank + 1, 10 * rank]
    call MPI_Allreduce(MPI_IN_PLACE, values, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    call tell('allreduce in place', values)
    all = -1
    all(:, rank + 1) = [rank, 7 * rank]
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 2, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    call tell('allgather in place', [all])
    if (rank == 0) then
      all(:, 1) = [-5, -6]
      call MPI_Gather(MPI_IN_PLACE, 0, MPI_INTEGER, all, 2, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
      call tell('gather in place', [all])
      parts = [(3 * i, i = 1, size)]
      call MPI_Scatter(parts, 1, MPI_INTEGER, MPI_IN_PLACE, 0, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
      call MPI_Reduce(MPI_IN_PLACE, parts, size, MPI_INTEGER, MPI_MAX, 0, MPI_COMM_WORLD, ierror)
      call tell('reduce in place', parts)
    else
      values = [rank, -rank]
      call MPI_Gather(values, 2, MPI_INTEGER, all, 2, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
      call MPI_Scatter(parts, 1, MPI_INTEGER, values, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
      call tell('scattered', values(1:1))
      parts = [(100 * rank - i, i = 1, size)]
      call MPI_Reduce(parts, all_parts, size, MPI_INTEGER, MPI_MAX, 0, MPI_COMM_WORLD, ierror)
    end if
    parts = [(10 * rank + i, i = 1, size)]
    call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INTEGER, parts, 1, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    call tell('alltoall in place', parts)
    call MPI_Iallreduce(MPI_IN_PLACE, parts, size, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request, ierror)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
    call tell('iallreduce in place', parts)
    call MPI_Op_create(combine, .false., own, ierror)
    call MPI_Op_commutative(own, flag, ierror)
    call truths('commutative', [flag])
    values = [rank + 1, (rank + 1)**2]
    call MPI_Allreduce(MPI_IN_PLACE, values, 2, MPI_INTEGER, own, MPI_COMM_WORLD, ierror)
    call tell('own operation', values)
    values = rank + 3
    call MPI_Scan(MPI_IN_PLACE, values, 2, MPI_INTEGER, own, MPI_COMM_WORLD, ierror)
    call tell('own operation, scan', values)
    call MPI_Op_free(own, ierror)
    flag = rank == size - 1
    call MPI_Bcast(flag, 1, MPI_LOGICAL, size - 1, MPI_COMM_WORLD, ierror)
    call truths('broadcast', [flag])
    flag = rank == 1
    call MPI_Allreduce(MPI_IN_PLACE, flag, 1, MPI_LOGICAL, MPI_LOR, MPI_COMM_WORLD, ierror)
    call truths('or', [flag])
  end subroutine

  subroutine topologies()
    COMM :: grid, half, both, pair, graph
    integer :: sizes(2), coordinates(2), source, destination, degrees(2)
    logical :: periods(2), flag, weighted
    GROUP :: members
    sizes = [size, 1]
    call MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, [.true., .false.], .false., grid, ierror)
    sizes = 0
    call MPI_Cart_get(grid, 2, sizes, periods, coordinates, ierror)
    call tell('grid', [sizes, coordinates])
    call truths('periods', periods)
    call MPI_Cart_shift(grid, 0, 1, source, destination, ierror)
    call tell('shift', [source, destination])
    call MPI_Cart_shift(grid, 1, 1, source, destination, ierror)
    call truths('no neighbour', [source == MPI_PROC_NULL])
    call MPI_Cart_sub(grid, [.false., .true.], half, ierror)
    call MPI_Comm_size(half, sizes(1), ierror)
    call tell('slice', sizes(1:1))
    call MPI_Comm_free(half, ierror)
    call MPI_Comm_free(grid, ierror)
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [left], MPI_UNWEIGHTED, 1, [right], MPI_UNWEIGHTED, &
      MPI_INFO_NULL, .false., graph, ierror)
    call MPI_Dist_graph_neighbors_count(graph, degrees(1), degrees(2), weighted, ierror)
    call tell('degrees', degrees)
    call truths('weighted', [weighted])
    source = 10 * rank
    call MPI_Neighbor_allgather(source, 1, MPI_INTEGER, destination, 1, MPI_INTEGER, graph, ierror)
    call tell('from the left', [destination])
    call MPI_Comm_free(graph, ierror)
    call MPI_Comm_group(MPI_COMM_WORLD, members, ierror)
    call MPI_Group_translate_ranks(members, 1, [0], members, coordinates, ierror)
    call tell('translated', coordinates(1:1))
    call MPI_Group_free(members, ierror)
    if (size < 2) return
    call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half, ierror)
    call MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - mod(rank, 2), 5, pair, ierror)
    call MPI_Comm_test_inter(pair, flag, ierror)
    call truths('inter', [flag])
    call MPI_Intercomm_merge(pair, mod(rank, 2) == 0, both, ierror)
    call MPI_Comm_rank(both, source, ierror)
    call tell('rank when merged', [source])
    call MPI_Comm_free(both, ierror)
    call MPI_Comm_free(pair, ierror)
    call MPI_Comm_free(half, ierror)
  end subroutine

  subroutine attributes()
    COMM :: first, second
    integer :: key
    integer(MPI_ADDRESS_KIND) :: value, state
    logical :: flag
    state = 1000
    called = 0
    call MPI_Comm_create_keyval(copy_attribute, delete_attribute, key, state, ierror)
    call MPI_Comm_dup(MPI_COMM_WORLD, first, ierror)
    call MPI_Comm_get_attr(first, key, value, flag, ierror)
    call truths('attribute before', [flag])
    value = 42 + rank
    call MPI_Comm_set_attr(first, key, value, ierror)
    call MPI_Comm_dup(first, second, ierror)
    value = 0
    call MPI_Comm_get_attr(second, key, value, flag, ierror)
    call truths('attribute copied', [flag])
    call tell('its value', [int(value), called])
    call MPI_Comm_free(second, ierror)
    value = 13
    call MPI_Comm_set_attr(first, key, value, ierror)
    call MPI_Comm_dup(first, second, ierror)
    call MPI_Comm_get_attr(second, key, value, flag, ierror)
    call truths('attribute not copied', [flag])
    call MPI_Comm_delete_attr(first, key, ierror)
    call MPI_Comm_free(second, ierror)
    call MPI_Comm_free(first, ierror)
    call MPI_Comm_free_keyval(key, ierror)
    call truths('no key', [key == MPI_KEYVAL_INVALID])
    call tell('called', [called])
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, value, flag, ierror)
    call truths('about the clock', [flag])
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, ierror)
    call truths('tags', [flag, value >= 32767])
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, value, flag, ierror)
    call truths('number of the program', [flag])
    call tell('it is', [int(value)])
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, value, flag, ierror)
    call truths('universe', [flag])
    call tell('its size', [int(value)])
    call MPI_Comm_create_keyval(copy_attribute, delete_at_the_end, key, state, ierror)
    value = rank + 1
    call MPI_Comm_set_attr(MPI_COMM_SELF, key, value, ierror)
    call MPI_Comm_free_keyval(key, ierror)
  end subroutine

  subroutine errors()
    COMM :: other
    ERRHANDLER :: handler
    integer :: value, code, class, length
    character(len=MPI_MAX_ERROR_STRING) :: text
    call MPI_Comm_dup(MPI_COMM_WORLD, other, ierror)
    call MPI_Comm_create_errhandler(note_error, handler, ierror)
    call MPI_Comm_set_errhandler(other, handler, ierror)
    call MPI_Errhandler_free(handler, ierror)
    value = 1
    call MPI_Send(value, 1, MPI_INTEGER, size, 0, other, code)
    call MPI_Error_class(code, class, ierror)
    call tell('class', [class, merge(1, 0, class == MPI_ERR_RANK)])
    call MPI_Bcast(value, -1, MPI_INTEGER, 0, other, code)
    call MPI_Comm_set_errhandler(other, MPI_ERRORS_RETURN, ierror)
    call MPI_Send(value, 1, MPI_INTEGER, 0, -5, other, code)
    call MPI_Error_class(code, class, ierror)
    call MPI_Error_string(class, text, length, ierror)
    write (out, '(a, 1x, i0, 1x, a)') 'text:', length, trim(text)
    call MPI_Comm_free(other, ierror)
  end subroutine

  subroutine own_requests()
    REQUEST :: request
    STATUS :: status
    integer :: count
    integer(MPI_ADDRESS_KIND) :: state
    logical :: flag
    state = 3
    called = 0
    call MPI_Grequest_start(query, release, cancelled, state, request, ierror)
    call MPI_Test(request, flag, MPI_STATUS_IGNORE, ierror)
    call truths('complete', [flag])
    call MPI_Cancel(request, ierror)
    call MPI_Grequest_complete(request, ierror)
    call MPI_Wait(request, status, ierror)
    call MPI_Get_count(status, MPI_INTEGER, count, ierror)
    call tell('own request', [count, OF(status, MPI_SOURCE), OF(status, MPI_TAG), called])
  end subroutine

  subroutine words()
    COMM :: named
    INFO :: hints
    character(len=MPI_MAX_OBJECT_NAME) :: name
    character(len=10) :: value
    integer :: length
    logical :: flag
    call MPI_Comm_dup(MPI_COMM_WORLD, named, ierror)
    call MPI_Comm_set_name(named, ' a name   ', ierror)
    call MPI_Comm_get_name(named, name, length, ierror)
    write (out, '(a, 1x, i0, a)') 'name:', length, '[' // name(1:length + 2) // ']'
    call MPI_Comm_free(named, ierror)
    call MPI_Info_create(hints, ierror)
    call MPI_Info_set(hints, 'key  ', 'some value', ierror)
    call MPI_Info_get(hints, 'key', 10, value, flag, ierror)
    write (out, '(a, 1x, l1)') '[' // value // ']', flag
    call MPI_Info_get(hints, 'other', 10, value, flag, ierror)
    call truths('other', [flag])
    call MPI_Info_free(hints, ierror)
    call MPI_Initialized(flag, ierror)
    call truths('initialized', [flag])
    call MPI_Finalized(flag, ierror)
    call truths('finalized', [flag])
  end subroutine

  subroutine windows_and_files()
    WINDOW :: window
    FILE_HANDLE :: file
    STATUS :: status
    integer, asynchronous :: memory(4)
    integer :: value, count
    integer(MPI_OFFSET_KIND) :: where
    integer(MPI_ADDRESS_KIND) :: base, about
    logical :: flag
    character(len=220) :: path
    memory = 0
    call MPI_Win_create(memory, int(16, MPI_ADDRESS_KIND), 4, MPI_INFO_NULL, MPI_COMM_WORLD, window, ierror)
    call MPI_Win_fence(0, window, ierror)
    value = 10 * (rank + 1)
    call MPI_Put(value, 1, MPI_INTEGER, right, int(2, MPI_ADDRESS_KIND), 1, MPI_INTEGER, window, ierror)
    call MPI_Accumulate(value, 1, MPI_INTEGER, 0, int(0, MPI_ADDRESS_KIND), 1, MPI_INTEGER, MPI_SUM, window, ierror)
    call MPI_Win_fence(0, window, ierror)
    call tell('window', memory)
    call MPI_Get_address(memory, base, ierror)
    call MPI_Win_get_attr(window, MPI_WIN_BASE, about, flag, ierror)
    call truths('base', [flag, about == base])
    call MPI_Win_get_attr(window, MPI_WIN_SIZE, about, flag, ierror)
    call tell('its size', [int(about)])
    call MPI_Win_get_attr(window, MPI_WIN_DISP_UNIT, about, flag, ierror)
    call tell('its unit', [int(about)])
    call MPI_Win_free(window, ierror)
    path = trim(folder) // '/file'
    call MPI_File_open(MPI_COMM_WORLD, path, ior(MPI_MODE_RDWR, MPI_MODE_CREATE), MPI_INFO_NULL, file, ierror)
    where = 4 * rank
    call MPI_File_write_at_all(file, where, value, 1, MPI_INTEGER, status, ierror)
    call MPI_Get_count(status, MPI_INTEGER, count, ierror)
    call tell('written', [count])
    where = 0
    call MPI_File_read_at_all(file, where, memory, min(size, 4), MPI_INTEGER, MPI_STATUS_IGNORE, ierror)
    call tell('read', memory(1:min(size, 4)))
    call MPI_File_close(file, ierror)
  end subroutine
end program
