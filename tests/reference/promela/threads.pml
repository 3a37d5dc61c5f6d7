/* Two threads of one rank that call concurrently, for Spin: libemu/rank/monitor.h. Another rank raises its bound to 1,
 * waits until the bound of this rank is higher, sends a message, which arrives at 1, and raises its bound to 2.
 * threads_test.sh lists the programs of the threads, and the mutants that must fail.
 *
 * FIRST and SECOND, the programs of the two threads:
 *   NAP      sleeps until 1, which requires the bound of the other rank, and posts the semaphore
 *   RECEIVE  waits for the message, and posts the semaphore
 *   SEM      waits for the semaphore in the system, and sends
 *   SEND     sends
 *   BARRIER  waits for an operation that the message ends, and sends; the leading thread handles the message
 *   LONG_NAP sleeps until 2
 *
 * A thread handles an event for the other thread, and calls that thread if its wait may be over. The goals of some
 * threads cannot show whether the wait is over: these threads are called in any case.
 *
 * Functions of libemu/rank/ that the model mirrors: enter, leave, others (here beside), look, may_sleep, hand_over,
 * wait_until_called (here wait_for_turn), release and take of monitor.cc; Scheduler::run (here go_on) of event_loop.h;
 * Scheduler::publish of scheduler.cc.
 *
 * Checked properties:
 *   Safety: a thread sends at no instant before the published bound of the rank; a thread in BARRIER sends at 1, even
 *   if the other thread sleeps longer.
 *   Progress: in every final state all threads have finished. */

#define NEVER 9
#define NOBODY 2
#define NAP 1
#define RECEIVE 2
#define SEM 3
#define SEND 4
#define BARRIER 5
#define LONG_NAP 6
#define naps(who) (goal[who] == NAP || goal[who] == LONG_NAP)
#define end(who) (goal[who] == NAP -> 1 : 2)

#ifdef MUTANT_LOOKS_TWICE
#define KEPT false
#else
#define KEPT true
#endif
#ifdef MUTANT_NOT_WATCHED
#define WATCHES false
#else
#define WATCHES true
#endif
#ifdef MUTANT_NOT_CALLED
#define CALLS false
#else
#define CALLS true
#endif
#ifdef MUTANT_UNSEEN_AT_ONCE
#define LOOKS true
#else
#define LOOKS false
#endif
#ifdef MUTANT_COMES_MEANWHILE
#define ASKS_AGAIN false
#else
#define ASKS_AGAIN true
#endif
#ifdef MUTANT_CALLED_RESTS
#define ASKS_CALLED false
#else
#define ASKS_CALLED true
#endif
#define CALLED (called[other] && goal[other] && ASKS_CALLED)
#ifdef MUTANT_LEAD_LOST
#define PASSES false
#else
#define PASSES true
#endif

byte clock, bound, other_bound;
bool sent, news;               /* the message; announced since this rank has drained */
bool over;                     /* the message has ended the operation of BARRIER */
bool locked, on_wire, endless; /* the leader sleeps on the wire; without a time-out */
bool dozes, watched;           /* the word that it sleeps on; it waits for the other rank's bound */
bool rests, posted;
byte leader = NOBODY, in_vain, entering;
byte seen;                     /* result of look(): 0 none yet, 1 the other thread sleeps, 2 it may call */
byte goal[2];                  /* of a thread that waits here */
bool called[2], asleep[2], ended[2];

#define other (1 - me)

inline changed() { in_vain = 0; seen = 0 }

inline enter() {
  entering++;
  atomic { !locked -> locked = true; entering--; rests = false; changed() }
}

/* A call ends: the clock is the rank's bound. */
inline leave() {
  atomic {
    bound = clock;
    rests = false;
    changed();
    if
    :: on_wire && endless -> dozes = false
    :: else
    fi;
    locked = false
  }
}

inline call(who) {
  called[who] = true;
  if
  :: on_wire && leader == who -> dozes = false
  :: else
  fi
}

inline wait_for_turn() {
  locked = false;
  atomic { !locked && (called[me] || (leader == me && !on_wire)) -> locked = true; called[me] = false }
}

inline look() {
  if
  :: goal[other] || ended[other] -> seen = 1
  :: else ->
     if
     :: (in_vain > 0 || LOOKS) && (asleep[other] || entering > 0 || LOOKS) -> seen = 1
     :: else -> seen = 2
     fi
  fi
}

/* `nothing`: the other thread does not act before this rank has an event. It may enter, and wait for the lock, at any
 * step: the system shows it asleep then. */
inline beside() {
  if
  :: CALLED -> nothing = false
  :: rests && !CALLED -> nothing = true
  :: else ->
     if
     :: entering > 0 -> nothing = false
     :: else ->
        atomic {
          if
          :: seen == 0 || !KEPT -> look()
          :: else
          fi
        }
        atomic {
          if
          :: entering > 0 && ASKS_AGAIN -> seen = 0; nothing = false
          :: else -> rests = seen == 1; nothing = rests
          fi
        }
     fi
  fi
}

inline sleep() {
  beside();
  quiet = false;
  atomic {
    if
    :: !news ->
       quiet = true;
       if
       :: !nothing -> bound = clock
       :: nothing && (goal[0] == NAP || goal[1] == NAP) -> bound = 1
       :: nothing && goal[0] != NAP && goal[1] != NAP && (goal[0] == LONG_NAP || goal[1] == LONG_NAP) -> bound = 2
       :: else -> bound = NEVER
       fi
    :: else
    fi
  };
  if
  :: quiet ->
     dozes = true;
     if
     :: blocked && WATCHES -> watched = true
     :: else
     fi;
     if
     :: news || (blocked && other_bound >= end(least)) -> dozes = false
     :: else ->
        atomic {
          endless = rests;
          in_vain = 1;
          seen = 0;
          on_wire = true;
          locked = false
        }
        (!dozes || !endless);
        atomic { !locked -> locked = true; on_wire = false; dozes = false }
     fi
  :: else
  fi
}

/* Until the goal of this thread is reached. */
inline go_on(what) {
  goal[me] = what;
  do
  :: news = false;
     called[me] = false;
     if
     :: goal[me] == BARRIER && over -> break
     :: else
     fi;
     least = NOBODY;
     if
     :: sent && !over && (goal[0] == BARRIER || goal[1] == BARRIER) ->
        atomic {
          over = true;
          if
          :: clock < 1 -> clock = 1
          :: else
          fi;
          changed();
          if
          :: goal[other] == BARRIER && CALLS -> call(other)
          :: goal[other] -> call(other)          /* a goal that cannot show it: the wait may be over */
          :: goal[other] != BARRIER || !CALLS    /* the wait certainly is not over */
          fi
        };
        if
        :: goal[me] == BARRIER -> break
        :: else
        fi
     :: else
     fi;
     if
     :: sent && goal[me] == RECEIVE -> least = me
     :: sent && goal[other] == RECEIVE -> least = other
     :: else ->
        if
        :: naps(me) && (!naps(other) || end(me) <= end(other)) -> least = me
        :: naps(other) && (!naps(me) || end(other) < end(me)) -> least = other
        :: else
        fi
     fi;
     blocked = false;
     certain = false;
     if
     :: least == other -> /* the other thread has to handle it */
        if
        :: leader == NOBODY || leader == me -> leader = other
        :: else
        fi;
        call(other);
        wait_for_turn()
     :: else ->
        if
        :: least == me && goal[me] == RECEIVE -> certain = true
        :: least == me && naps(me) ->
           beside();
           blocked = nothing && other_bound < end(me);
           certain = nothing && !blocked && !news
        :: else
        fi;
        if
        :: certain -> break
        :: else ->
           if
           :: leader == NOBODY -> leader = me
           :: else
           fi;
           if
           :: leader == me -> sleep()
           :: else ->
              if
              :: on_wire -> dozes = false
              :: else
              fi;
              wait_for_turn()
           fi
        fi
     fi
  od;
  atomic {
    if
    :: goal[me] == LONG_NAP -> clock = 2
    :: goal[me] != LONG_NAP && clock < 1 -> clock = 1
    :: else
    fi;
    changed();
    goal[me] = 0;
    if
    :: leader == me && goal[other] && PASSES -> leader = other
    :: leader == me && !goal[other] -> leader = NOBODY
    :: else
    fi
  }
}

inline act() {
  enter();
  assert(bound <= clock);
  leave()
}

proctype thread(byte me; byte program) {
  bool nothing, blocked, certain, quiet;
  byte least;
  if
  :: program == NAP -> enter(); go_on(NAP); leave(); posted = true
  :: program == RECEIVE -> enter(); go_on(RECEIVE); leave(); posted = true
  :: program == LONG_NAP -> enter(); go_on(LONG_NAP); leave()
  :: program == BARRIER -> enter(); go_on(BARRIER); assert(bound <= clock); assert(clock == 1); leave(); act()
  :: program == SEM ->
     asleep[me] = true;
     atomic { posted -> posted = false; asleep[me] = false };
     act()
  :: program == SEND -> act()
  fi;
  ended[me] = true
}

proctype rank() {
  other_bound = 1;
  if
  :: watched -> dozes = false
  :: else
  fi;
  bound > 1;
  atomic { sent = true; news = true; dozes = false; if :: bound > 1 -> bound = 1 :: else fi };
  other_bound = 2;
  if
  :: watched -> dozes = false
  :: else
  fi
}

/* The rank has finished when all its threads have. */
init {
  atomic { run thread(0, FIRST); run thread(1, SECOND); run rank() };
  ended[0] && ended[1];
  bound = NEVER
}
