/* Messages on a shared link, for Spin: two senders, and a rank that waits for both and also sends. meson.build names
 * the mutants that must fail.
 *
 * Ranks 1 and 2 each compute up to any instant, send a message of 1 or 2 bytes to rank 0, and end. Rank 0 takes both
 * messages in the order of their landings. After the first one it sends a message over this link. The link moves a byte
 * in a tick: all of it for one message, or half of it for each of two messages. If three messages are on the link, the
 * first two get half a byte each.
 *
 * Parts of the model, and the code in libemu/ that they mirror:
 *   add, advance   contention/contention.cc; under a lock, so each is one step
 *   push           wire/table.cc: a process that has raised a bound computes the certain part of the link, and raises
 *                  the bound of the waiting rank
 *   take           rank/ingress.cc: a message lands as soon as its landing is certain
 *
 * Checked properties:
 *   Safety: no message comes to the link before the instant up to which the link has been computed. The bound of rank 0
 *   is never above the instant at which it acts. Every message lands at the instant that results if all messages are
 *   known beforehand.
 *   Progress: in every final state both messages have been taken.
 *
 * Overheads are zero; a message comes to the link LOOKAHEAD after it was sent. */

#define NEVER 100
#define LOOKAHEAD 1

/* Mutants: the link is taken as certain beyond the lookahead; a bound is raised before the message is on the link; the
 * bound of the waiting rank is the landing at the present speed of the message; the bound is raised although the rank
 * no longer waits; no process pushes. */
#ifdef EARLY
#define CERTAIN (LOOKAHEAD + 1)
#else
#define CERTAIN LOOKAHEAD
#endif
#ifdef AWAKE
#define WAITS true
#else
#define WAITS rests
#endif
#ifdef SLOW
#define BEST 1
#else
#define BEST 2
#endif

byte bound[3];
byte head[3], size[3], left[3], landed[3]; /* of the message that the rank sends; in halves of a byte */
bool here[3], taken[3];
bool rests = true; /* rank 0 waits, and its bound is the landing that it waits for */
byte worked_out; /* the instant up to which the link has been computed */
byte ended;

/* Temporary values of single steps. */
byte s, t, users, least, first;

inline advance(until) {
  t = worked_out;
  do
  :: t < until ->
     users = 0;
     s = 0;
     do
     :: s < 3 ->
        if
        :: here[s] && head[s] <= t && left[s] > 0 -> users++
        :: else
        fi;
        s++
     :: else -> break
     od;
     s = 0;
     do
     :: s < 3 ->
        if
        :: here[s] && head[s] <= t && left[s] > 0 ->
           if
           :: users > 1 || left[s] == 1 -> left[s] = left[s] - 1
           :: else -> left[s] = left[s] - 2
           fi;
           if
           :: left[s] == 0 -> landed[s] = t + 1
           :: else
           fi
        :: else
        fi;
        s++
     :: else -> break
     od;
     t++
  :: else -> break
  od;
  if
  :: until > worked_out -> worked_out = until
  :: else
  fi
}

/* A message of `bytes` comes to the link at `at`. */
inline add(from, at, bytes) {
  d_step {
    assert(at >= worked_out);
    here[from] = true;
    head[from] = at;
    size[from] = bytes;
    left[from] = 2 * bytes
  }
}

/* The earliest instant at which the waiting rank can take a message. */
inline find_first() {
  first = NEVER;
  s = 1;
  do
  :: s < 3 ->
     t = NEVER;
     if
     :: taken[s] -> skip
     :: !taken[s] && here[s] && left[s] == 0 -> t = landed[s]
     :: !taken[s] && here[s] && left[s] > 0 ->
        t = worked_out;
        if
        :: head[s] > t -> t = head[s]
        :: else
        fi;
        t = t + (left[s] + BEST - 1) / BEST
     :: !taken[s] && !here[s] && bound[s] < NEVER -> t = bound[s] + LOOKAHEAD + 1
     :: else
     fi;
     if
     :: t < first -> first = t
     :: else
     fi;
     s++
  :: else -> break
  od
}

inline push() {
#ifdef NOBODY
  skip
#else
  d_step {
    least = bound[0];
    if
    :: bound[1] < least -> least = bound[1]
    :: else
    fi;
    if
    :: bound[2] < least -> least = bound[2]
    :: else
    fi;
    if
    :: least < NEVER -> advance(least + CERTAIN)
    :: else
    fi;
    find_first();
    if
    :: WAITS && first > bound[0] && (!taken[1] || !taken[2]) -> bound[0] = first
    :: else
    fi;
    s = 0; t = 0; users = 0; least = 0; first = 0
  }
#endif
}

proctype sender(byte me) {
  byte at, bytes;
  select (at: 0 .. 3);
  select (bytes: 1 .. 2);
  bound[me] = at;
  push();
#ifdef LATE
  bound[me] = NEVER;
  push();
  add(me, at + LOOKAHEAD, bytes);
#else
  add(me, at + LOOKAHEAD, bytes);
  bound[me] = NEVER;
#endif
  push();
  ended++
}

proctype receiver() {
  byte one, at, count, was;
  do
  :: count == 2 -> break
  :: count < 2 ->
     was = bound[0];
     push();
     atomic {
       one = 0;
       if
       :: here[1] && left[1] == 0 && !taken[1] -> one = 1
       :: else
       fi;
       if
       :: here[2] && left[2] == 0 && !taken[2] && (one == 0 || landed[2] < landed[1]) -> one = 2
       :: else
       fi;
       if
       :: one > 0 -> at = landed[one]; taken[one] = true; rests = false; count++
       :: else
       fi
     }
     if
     :: one > 0 ->
        assert(bound[0] <= at);
        if
        :: count == 1 -> add(0, at + LOOKAHEAD, 1)
        :: else
        fi;
        if
        :: count == 2 -> bound[0] = NEVER
        :: else -> rests = true
        fi;
        push()
     :: else -> /* sleeps until a message has landed, or its bound has been raised */
        here[1] && left[1] == 0 && !taken[1] || here[2] && left[2] == 0 && !taken[2] || bound[0] > was
     fi
  od;
  push();
  ended++
}

/* Computes the landings of all messages at once. */
byte before[3];
active proctype check() {
  ended == 3;
  d_step {
    s = 0;
    do
    :: s < 3 -> before[s] = landed[s]; landed[s] = 0; left[s] = 2 * size[s]; s++
    :: else -> break
    od;
    worked_out = 0;
    advance(40);
    assert(landed[1] == before[1]);
    assert(landed[2] == before[2]);
    s = 0; t = 0; users = 0
  }
}

init {
  atomic {
    run sender(1);
    run sender(2);
    run receiver()
  }
}
