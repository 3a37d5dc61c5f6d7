/* One-sided operations, for Spin: two origins, one target that computes, and a lock; then two ranks operate on the
 * memory of a third rank. meson.build names the mutants that must fail.
 *
 * Rank 0, the target, computes from 0 to LATE, and then operates on the memory of rank 2. Ranks 1 and 2 each lock the
 * memory of rank 0, fetch from it, and unlock it. Then rank 1 operates on the memory of rank 2, after rank 2 itself has
 * done so. The instants of all operations are arbitrary.
 *
 * Parts of the model, and the code in libemu/ that they mirror:
 *   serve, next       rank/scheduler_server.cc, rank/scheduler.cc: at the end of a call that does not wait, and in a
 *                     call that waits
 *   take_effect, release   rank/protocols/window_server.cc
 *   announce, raise_if_quiet, blocking_rank   wire/table.cc; each is one step, as in agents.pml
 *
 * Checked properties:
 *   Safety: when an operation is sent, no operation that comes after it in the order (arrival, origin) has taken
 *   effect.
 *   Progress: in every final state all ranks have finished.
 *
 * Overheads are zero, and every message, also an answer, takes the least possible lookahead, 1. */

#define NEVER 100
#ifndef LATE
#define LATE 4
#endif
#define FETCH 1   /* takes the lock, fetches, is answered */
#define UNLOCK 2
#define PLAIN 3
#define ANSWER 4

/* Mutants: an operation lowers a bound to the clock at the least; a bound is raised above operations that have not been
 * drained; a certain event does not drain before it; the bound is raised above operations that have not taken effect;
 * events need not be certain. */
#ifndef CLAMP
#define CLAMPED false
#else
#define CLAMPED true
#endif
#ifdef DEAF
#define QUIET true
#else
#define QUIET announced[self] == seen
#endif
#ifdef OLD
#define NEWS true
#else
#define NEWS announced[self] == seen
#endif
#ifdef UNSEEN
#define UNSERVED true
#else
#define UNSERVED false
#endif


byte bound[3], announced[3], clock[3];
byte taken[3]; /* 4 arrival + origin of the last operation that has taken effect */
byte done;
chan inbox[3] = [8] of { byte, byte, byte }; /* kind, source, arrival */

inline announce(to, at, operation) {
  atomic {
    acts = at;
    if
    :: (!(operation) || CLAMPED) && clock[to] > acts -> acts = clock[to]
    :: else
    fi;
    if
    :: acts < bound[to] -> bound[to] = acts
    :: else
    fi;
    announced[to]++;
    acts = 0
  }
}

inline operate(to, kind) {
  atomic {
    assert(taken[to] <= 4 * (now + 1) + self);
    inbox[to]!kind, self, now + 1
  }
  announce(to, now + 1, true)
}

/* False: further operations have come in. */
inline raise_if_quiet(b) {
  atomic {
    clock[self] = now;
    if
    :: QUIET -> bound[self] = b; quiet = true
    :: else -> quiet = false
    fi
  }
}

/* An operation on the own memory that takes long: until LATE. */
inline reach_itself() {
  atomic {
    assert(taken[self] <= 4 * LATE + self);
    inbox[self]!PLAIN, self, LATE
  }
  announce(self, LATE, true)
}

/* True if no rank can send an operation that comes before (at, from), and all sent operations have been drained. */
#define behind(s, at, from) (s == self || bound[s] + 1 > at || (bound[s] + 1 == at && s > from))
#ifdef UNCERTAIN
#define certain(at, from) true
#else
#define certain(at, from) (NEWS && behind(0, at, from) && behind(1, at, from) && behind(2, at, from))
#endif

/* Operations that have been drained, at most one from each other rank: kind, and instant of the effect. */
inline drain() {
  seen = announced[self];
  atomic {
    do
    :: inbox[self]?kind, from, at ->
       if
       :: kind == ANSWER -> answer = at
       :: else -> what[from] = kind; when[from] = at
       fi
    :: empty(inbox[self]) -> break
    od;
    kind = 0; from = 0; at = 0
  }
}

inline find_least() {
  atomic {
    least = 3;
    i = 0;
    do
    :: i < 3 ->
       if
       :: what[i] && (least == 3 || when[i] < when[least]) -> least = i
       :: else
       fi;
       i++
    :: else -> break
    od;
    i = 0;
    first = NEVER;
    if
    :: least < 3 -> first = when[least]
    :: else
    fi
  }
}

inline give(to, instant) {
  inbox[to]!ANSWER, self, instant + 1;
  announce(to, instant + 1, false)
}

inline take_effect() {
  if
  :: 4 * first + least > taken[self] -> taken[self] = 4 * first + least
  :: else
  fi;
  if
  :: what[least] == FETCH && (holder == 3 || holder == least) -> holder = least; what[least] = 0; give(least, first)
  :: what[least] == FETCH && holder != 3 && holder != least -> waits = least; what[least] = 0
  :: what[least] == PLAIN -> what[least] = 0; plain++
  :: what[least] == UNLOCK ->
     what[least] = 0;
     holder = waits;
     unlocks++;
     if
     :: waits < 3 -> what[waits] = FETCH; when[waits] = first; waits = 3
     :: else
     fi
  fi
}

/* A call that does not wait is over. */
inline serve() {
  do
  :: drain();
     find_least();
     if
     :: least < 3 && first <= now && certain(first, least) -> take_effect()
     :: else ->
        if
        :: now < first || UNSERVED -> least = now
        :: else -> least = first
        fi;
        raise_if_quiet(least);
        if
        :: quiet -> break
        :: else
        fi
     fi
  od
}

/* A call that waits until `over`. */
inline wait_until(over) {
  do
  :: drain();
     find_least();
     if
     :: answer && answer <= first ->
        if
        :: answer > now -> now = answer
        :: else
        fi;
        answered = true;
        answer = 0
     :: else ->
        if
        :: over -> break
        :: !(over) && least < 3 && certain(first, least) -> take_effect()
        :: !(over) && !(least < 3 && certain(first, least)) ->
           raise_if_quiet(first);
           if
           :: quiet -> (announced[self] != seen || (least < 3 && certain(first, least)))
           :: else
           fi
        fi
     fi
  od
}

proctype rank(byte self) {
  byte now, seen, kind, from, at, answer, least, first, i, acts, holder = 3, waits = 3, plain, unlocks;
  byte what[3], when[3];
  bool quiet, answered;
  if
  :: self == 0 ->
     serve();
     now = LATE;
     serve();
     operate(2, PLAIN);
     wait_until(unlocks == 2)
  :: self > 0 ->
     if
     :: now = 0
     :: now = 1
     fi;
     serve();
     operate(0, FETCH);
     if
     :: self == 2 -> reach_itself()
     :: else
     fi;
     wait_until(answered);
     serve();
     if
     :: now = now + 1
     :: skip
     fi;
     operate(0, UNLOCK);
     if
     :: self == 1 -> operate(2, PLAIN)
     :: self == 2 -> wait_until(plain == 3)
     fi
  fi;
  atomic {
    clock[self] = NEVER;
    bound[self] = NEVER;
    done++
  }
}

init {
  atomic { run rank(0); run rank(1); run rank(2) }
  done == 3
}
