! Operations on coarrays, on any number of images. OpenCoarrays performs them by one-sided operations.
program coarrays
  use, intrinsic :: iso_fortran_env
  implicit none
  integer :: me, all, i, left, right, sum_of, seen, code
  integer :: ring(4)[*], locked[*]
  integer(atomic_int_kind) :: counter[*]
  type(lock_type) :: door[*]
  type(event_type) :: ready[*]
  real(real64) :: matrix(3, 3)[*], total(3), largest
  character(len=8) :: word
  integer, allocatable :: grown(:)[:]

  me = this_image()
  all = num_images()
  right = merge(1, me + 1, me == all)
  left = merge(all, me - 1, me == 1)

  ! Put to the right, get from the left.
  ring = 0
  locked = 0
  matrix = me
  call atomic_define(counter, 0)
  sync all
  ring(2)[right] = 10 * me
  ring(3:4)[right] = [100 * me, 1000 * me]
  sync all
  call say('put', ring, left * [0, 10, 100, 1000])
  call say('got', ring(2:4)[left], merge(all, left - 1, left == 1) * [10, 100, 1000])
  sync all
  matrix(2, :)[right] = [(me + 0.5_real64 * i, i = 1, 3)]
  sync all
  write (word, '(a)') 'row'
  call say(word, int(10 * matrix(2, :)), [(10 * left + 5 * i, i = 1, 3)])
  call say('column', int(10 * matrix(:, 2)[left]), 10 * [left, merge(all, left - 1, left == 1) + 1, left])

  ! Images that wait for some others.
  if (me > 1) sync images (me - 1)
  if (me < all) sync images (me + 1)

  ! A lock, and a counter that all add to.
  do i = 1, 5
    lock (door[1])
    locked[1] = locked[1] + me
    unlock (door[1])
  end do
  do i = 1, 4
    call atomic_add(counter[1], i)
  end do
  sync all
  if (me == 1) then
    call atomic_ref(seen, counter)
    call say('locked', [locked, seen], [5 * (all * (all + 1)) / 2, 10 * all])
  end if

  ! Events: each tells the next.
  if (me > 1) event wait (ready)
  if (me < all) event post (ready[me + 1])
  call event_query(ready, seen)
  call say('events left', [seen], [0])

  ! Collectives of coarrays.
  sum_of = me
  call co_sum(sum_of)
  total = me * [1.0_real64, 2.0_real64, 3.0_real64]
  call co_sum(total, result_image=1)
  largest = sin(real(me, real64))
  call co_max(largest)
  seen = merge(42, 0, me == all)
  call co_broadcast(seen, source_image=all)
  call say('collectives', [sum_of, seen, int(1e6 * largest)], &
    [all * (all + 1) / 2, 42, int(1e6 * maxval([(sin(real(i, real64)), i = 1, all)]))])
  if (me == 1) call say('sums', int(total), all * (all + 1) / 2 * [1, 2, 3])
  sum_of = me
  call co_reduce(sum_of, product_of)
  call say('product', [sum_of], [product([(i, i = 1, all)])])

  ! A coarray that comes and goes.
  allocate (grown(all)[*], stat=code)
  grown = 0
  sync all
  do i = 1, all
    grown(me)[i] = me * i
  end do
  sync all
  call say('grown', grown, [(me * i, i = 1, all)])
  deallocate (grown)

  critical
    locked[all] = locked[all] + 1
  end critical
  sync all
  if (me == all) call say('critical', [locked], [merge(6, all, all == 1)])

contains

  pure integer function product_of(a, b)
    integer, intent(in) :: a, b
    product_of = a * b
  end function

  ! Natively MPICH may be wrong: what is right is known here.
  subroutine say(what, values, right)
    character(len=*), intent(in) :: what
    integer, intent(in) :: values(:), right(:)
    write (output_unit, '(a, i0, 1x, a, 17(1x, i0))') 'image ', me, trim(what), values
    if (any(values /= right)) write (output_unit, '(a, i0, 1x, 2a, 17(1x, i0))') 'image ', me, trim(what), ' WRONG:', right
  end subroutine
end program
