/* Waiters for the bound of one rank, for Spin: two processes raise the bound, and two wait for it. meson.build names
 * the mutants that must fail.
 *
 * Parts of the model, and the code in libemu/wire/ that they mirror:
 *   fire    table.cc: after a raise; each access of shared memory is one step
 *   watch   table_waiting.cc: a waiter registers, looks at the bound once more, and sleeps until it is woken
 *
 * The set of watchers is one word, with a bit for each waiter. A waiter that was woken looks at the bound, and waits
 * again if the bound is still too low.
 *
 * Checked property: in every final state all waiters have found the bound that they need. */

#define NEVER 9

/* Mutants: no process looks at the bound again after it has put watchers back; a waiter does not look again before it
 * sleeps; the least instant that watchers need is not put back. */

byte bound;
byte watched = NEVER;
bit watchers[2];
byte needs[2];
bit asleep[2];
byte ended;

/* The process that raises the bound takes the whole set of watchers, then compares the bound with the need of each. */
inline fire() {
  do
  :: watched > now_at -> break
  :: else ->
     watched = NEVER;
     atomic {
       taken[0] = watchers[0];
       taken[1] = watchers[1];
       watchers[0] = 0;
       watchers[1] = 0
     }
     rest = NEVER;
     i = 0;
     do
     :: i < 2 ->
        if
        :: taken[i] && needs[i] <= now_at -> asleep[i] = 0; taken[i] = 0
        :: taken[i] && needs[i] > now_at ->
           if
           :: needs[i] < rest -> rest = needs[i]
           :: else
           fi
        :: else
        fi;
        i++
     :: else -> break
     od;
     atomic {
       if
       :: taken[0] -> watchers[0] = 1
       :: else
       fi;
       if
       :: taken[1] -> watchers[1] = 1
       :: else
       fi
     }
#ifndef FORGETS
     atomic {
       if
       :: rest < watched -> watched = rest
       :: else
       fi
     }
#endif
#ifdef ONCE
     break
#else
     now_at = bound
#endif
  od
}

proctype raiser() {
  byte now_at, rest, i;
  bit taken[2];
  atomic { bound++; now_at = bound }
  fire();
  ended++
}

proctype waiter(byte me; byte need) {
  do
  :: bound >= need -> break
  :: bound < need ->
     asleep[me] = 1;
     needs[me] = need;
     watchers[me] = 1;
     atomic {
       if
       :: need < watched -> watched = need
       :: else
       fi
     }
#ifndef HASTY
     if
     :: bound >= need -> asleep[me] = 0
     :: else
     fi;
#endif
     asleep[me] == 0
  od;
  ended++
}

init {
  byte need;
  atomic {
    select (need: 1 .. 2);
    run waiter(0, need);
    select (need: 1 .. 2);
    run waiter(1, need);
    run raiser();
    run raiser()
  }
  ended == 4
}
