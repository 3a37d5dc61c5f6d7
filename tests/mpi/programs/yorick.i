/* Message passing by Yorick: a ring, what rank 0 hands out and takes in, tasks for whoever is idle. */
func task(void)
{
  if (mp_size > 1) {
    if (!mp_rank) {
      mp_send, 1, [1, 2, 3] * 10;
      ring = mp_recv(mp_size - 1);
    } else {
      ring = mp_recv(mp_rank - 1) + mp_rank;
      mp_send, (mp_rank + 1) % mp_size, ring;
    }
  } else ring = [1, 2, 3] * 10;
  if (!mp_rank) table = indgen(1000) / 7.;
  mp_handout, table;
  part = sum(table(1 + mp_rank : 0 : mp_size));
  total = mp_handin(part);
  rings = mp_handin(sum(ring));
  if (!mp_rank) write, format="ring %ld, rings %ld, total %.6f of %.6f\n", sum(ring), rings, total, sum(table);
}
func serve(void)
{
  if (!mp_rank) {
    squares = array(0, 40);
    given = done = 0;
    for (r = 1 ; r < mp_size ; ++r) mp_send, r, ++given;
    while (done < numberof(squares) && mp_size > 1) {
      from = mp_probe(1)(1);
      answer = mp_recv(from);
      squares(answer(1)) = answer(2);
      ++done;
      if (given < numberof(squares)) mp_send, from, ++given;
      else mp_send, from, 0;
    }
    write, format="squares %ld\n", sum(squares);
  } else {
    for (;;) {
      n = mp_recv(0)(1);
      if (!n) break;
      mp_send, 0, [n, n * n];
    }
  }
}
