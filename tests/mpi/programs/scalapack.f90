! Solves a system of equations (pdgesv), and finds eigenvalues (pdsyev), on a grid of processes: the messages are those of the BLACS.
program solve
  implicit none
  integer, parameter :: n = 24, nb = 5
  integer :: context, rank, ranks, rows, columns, row, column, local_rows, local_columns, info, i, j
  integer :: a_is(9), b_is(9), z_is(9)
  integer, allocatable :: pivots(:)
  double precision, allocatable :: a(:, :), b(:, :), z(:, :), values(:), work(:)
  double precision :: wanted(1)
  integer, external :: numroc, indxl2g

  call blacs_pinfo(rank, ranks)
  rows = int(sqrt(dble(ranks)))
  do while (mod(ranks, rows) /= 0)
    rows = rows - 1
  end do
  columns = ranks / rows
  call blacs_get(-1, 0, context)
  call blacs_gridinit(context, 'Row', rows, columns)
  call blacs_gridinfo(context, rows, columns, row, column)
  local_rows = max(1, numroc(n, nb, row, 0, rows))
  local_columns = max(1, numroc(n, nb, column, 0, columns))
  allocate (a(local_rows, local_columns), z(local_rows, local_columns), b(local_rows, 1), values(n))
  allocate (pivots(local_rows + nb))
  call descinit(a_is, n, n, nb, nb, 0, 0, context, local_rows, info)
  call descinit(z_is, n, n, nb, nb, 0, 0, context, local_rows, info)
  call descinit(b_is, n, 1, nb, nb, 0, 0, context, local_rows, info)

  call fill()
  do i = 1, numroc(n, nb, row, 0, rows)
    b(i, 1) = indxl2g(i, nb, row, 0, rows)
  end do
  call pdgesv(n, 1, a, 1, 1, a_is, pivots, b, 1, 1, b_is, info)
  do i = 1, numroc(n, nb, row, 0, rows)
    if (column == 0) print '(a, i0, es20.11)', 'x ', indxl2g(i, nb, row, 0, rows), b(i, 1)
  end do

  call fill()
  call pdsyev('V', 'U', n, a, 1, 1, a_is, values, z, 1, 1, z_is, wanted, -1, info)
  allocate (work(int(wanted(1))))
  call pdsyev('V', 'U', n, a, 1, 1, a_is, values, z, 1, 1, z_is, work, size(work), info)
  if (rank == 0) print '(a, i0, 24es20.11)', 'eigenvalues ', info, values
  call blacs_gridexit(context)
  call blacs_exit(0)

contains

  subroutine fill()
    integer :: g, h
    do j = 1, numroc(n, nb, column, 0, columns)
      do i = 1, numroc(n, nb, row, 0, rows)
        g = indxl2g(i, nb, row, 0, rows)
        h = indxl2g(j, nb, column, 0, columns)
        a(i, j) = 1d0 / (abs(g - h) + 1)
        if (g == h) a(i, j) = a(i, j) + g
      end do
    end do
  end subroutine
end program
