/* The protocol of bounds between nodes, for Spin. Three ranks on two or three nodes play all programs of a few sends
 * and receives from any source. agents_test.sh has the numbers of sends and receives, and names the mutants that must
 * fail.
 *
 * Instants are small whole numbers. An interval of 1 is the least possible lookahead (1 ps in the library, also if the
 * lookahead of the network is zero). At equal instants the number of the rank decides.
 *
 * Parts of the model, and the code in libemu/ that they mirror:
 *   rank          rank/rank.cc (send, leave), rank/egress.cc (send), rank/scheduler.cc (next, for a call that waits
 *                 only for a receive from any source), and below these wire/shared_wire.cc (deliver, drain, finish)
 *   agent         wire/agent/agent.cc: run, step, take_outbox, forward, answer, report, ask, wait, take, take_message,
 *                 take_report, apply, set
 *   cut_bound     wire/agent/cut.cc: Cut::bound, Flow::in_transit
 *   announce, raise, fire, wake, blocking_rank, watch, local_bound, wanted, set_bound
 *                 wire/table.cc
 *
 * Checked properties:
 *   Safety, at every send: by no receive from any source has the receiver taken a message that comes after this one in
 *   the order (arrival, source). At every such receive: no message that was sent earlier comes before the taken one.
 *   All programs are played, so each choice is compared with all messages that may still be sent.
 *   Progress: in every final state each rank has finished, or waits for a message that no rank has sent. No rank waits
 *   for a bound, and no message is in transit. With -DNP also: no infinite execution exists in which no operation ends.
 *
 * Simplifications:
 *   - A call of the table is one step (wire/table.h, wire/minima.h and their tests cover the inside of a call). The
 *     consecutive actions of a sender, a receiver or an agent are separate steps. So the count of a slot contains only
 *     the announcements of ranks, and needs no `lowered_`.
 *   - A report names messages by their numbers. Their arrivals are read from one common array.
 *   - Overheads and the reaction are zero.
 *   - There are no payloads, measured compute, failures, cards, receives from a named source, or deadlock reports.
 *   - The agent does not look every 200 ms, since correctness must not depend on that.
 */

#ifndef NODES
#define NODES 3
#endif
#ifndef LOOKAHEAD
#define LOOKAHEAD 1
#endif

/* Programs. Rank r performs Sr sends and Rr receives, in any order or receives first. A send is up to LATE later than
 * the operation before it. Its message takes the lookahead, or SLOW more; with FAR, messages from rank 2 to rank 0
 * always take SLOW more, and others never. The last send of a rank goes to one of the ranks in the set TOr, a bit for
 * each rank; the first send of rank 2 goes to one of FIRST_TO2. */
#ifndef LATE
#define LATE 0
#endif
#ifndef SLOW
#define SLOW 0
#endif
#ifdef RECEIVES_FIRST
#define ANY_ORDER 0
#else
#define ANY_ORDER 1
#endif
#ifndef TO0
#define TO0 7
#endif
#ifndef TO1
#define TO1 7
#endif
#ifndef TO2
#define TO2 7
#endif
#ifndef FIRST_TO2
#define FIRST_TO2 TO2
#endif
#define TO(r) ((r) == 0 -> TO0 : ((r) == 1 -> TO1 : (sends > 1 -> FIRST_TO2 : TO2)))

#define RANKS 3
#define PER_PAIR 2 /* messages from one rank to another, at the most */
#define PER_FLOW 4 /* from one node to another */
#define ROOM 5     /* frames in a stream */
#define NEVER 100
#define NOBODY (NEVER + 1)

#if NODES == 3
#define NODE_OF(r) (r)
#define FIRST_RANK(n) (n)
#define THIRD(n, m) (3 - (n) - (m))
#else
#ifndef ALONE
#define ALONE 1 /* the rank that has node 1 for itself */
#endif
#define NODE_OF(r) ((r) == ALONE)
#define FIRST_RANK(n) ((n) == 1 -> ALONE : (ALONE == 0 -> 1 : 0))
#define THIRD(n, m) 0 /* never asked for */
#endif

#define PAIRS (RANKS * (RANKS - 1))
#define PAIR(s, d) ((s) * (RANKS - 1) + (d) - ((d) > (s)))
#define RECEIVER(pair) ((pair) % (RANKS - 1) + ((pair) % (RANKS - 1) >= (pair) / (RANKS - 1)))
#define LINKS (NODES * (NODES - 1))
#define LINK(n, m) ((n) * (NODES - 1) + (m) - ((m) > (n)))
#define SLOT_OF_NODE(n, m) (RANKS + LINK(n, m)) /* of m, in the table of n. A rank's slot is its number */
#define SLOTS (RANKS + LINKS)
#define AGENT(n) (RANKS + (n)) /* as a waiter */

/* --- the tables */
byte bound[SLOTS];
byte announced[SLOTS];
byte watched[SLOTS];
byte watchers[SLOTS];
byte needs[RANKS + NODES];
bit asleep[RANKS + NODES];
bit pipe[NODES];
byte clock[RANKS]; /* as published */

/* --- messages, by sender and receiver, and how many of them */
byte arrival[PAIRS * PER_PAIR];
byte sent[PAIRS];      /* were put into an inbox: the receiver's, or the agent's */
byte forwarded[PAIRS]; /* the agent has put into a stream */
byte inbox[PAIRS];     /* were put into the receiver's inbox */
byte drained[PAIRS];
byte taken[PAIRS];
byte last_at[RANKS], last_from[RANKS]; /* the last in the order of the messages that a rank has taken */

/* --- agents: Talk and Cut, by this node and the other */
mtype = { message, ask, report };
/* The kind; the pair of a message, or an instant; FrameHead::received; of a report: the number of messages received
 * from the third node, and its Flow to that node: `first`, and the number of messages sent. */
#if NODES == 3
chan stream[LINKS] = [ROOM] of { mtype, byte, byte, byte, byte, byte };
#define FRAME(kind, number, count, count_third, first, to_third) kind(number, count, count_third, first, to_third)
#else
chan stream[LINKS] = [ROOM] of { mtype, byte, byte };
#define FRAME(kind, number, count, count_third, first, to_third) kind(number, count)
#endif
byte flow_arrival[LINKS * PER_FLOW], flow_sent[LINKS];
byte received[LINKS];
byte asked_by_us[LINKS], asked_by_it[LINKS]; /* 0: nothing */
byte said[LINKS], said_received[LINKS];
#if NODES == 3
byte flow_first[LINKS];
byte reported_sent[LINKS];
byte said_received_third[LINKS];
byte third_first[LINKS], third_sent[LINKS]; /* by this node and the receiver */
#define UNCHANGED 255
#endif

mtype = { running, in_the_way_of, for_ever, over };
mtype state[RANKS] = running; /* for the monitor */

/* Within a d_step only: it is undone as a whole. */
hidden mtype kind;
hidden byte number, count, count_third, first, to_third;
hidden byte i_, j_, k_, rest_, least_, slot_, acts_, rank_;
hidden short need_;

#define MIN(a, b) ((a) < (b) -> (a) : (b))
#define MAX(a, b) ((a) > (b) -> (a) : (b))
#define BEFORE(at, from, at2, from2) ((at) < (at2) || ((at) == (at2) && (from) < (from2)))

/* --- the table */

inline wake(waiter) {
  if
  :: asleep[waiter] ->
     asleep[waiter] = 0;
     if
     :: waiter >= RANKS -> pipe[waiter - RANKS] = 1
     :: else
     fi
  :: else
  fi
}

/* Wakes the waiters that need at most the present bound of `slot`. */
inline fire(slot) {
  if
  :: watched[slot] <= bound[slot] ->
     rest_ = NOBODY;
     for (j_ : 0 .. RANKS + NODES - 1) {
       if
       :: watchers[slot] & (1 << j_) ->
          if
          :: needs[j_] <= bound[slot] -> watchers[slot] = watchers[slot] & ~(1 << j_); wake(j_)
          :: else -> rest_ = MIN(rest_, needs[j_])
          fi
       :: else
       fi
     }
#ifdef MUTANT_WATCHERS_FORGOTTEN
     rest_ = NOBODY;
#endif
     watched[slot] = rest_
  :: else
  fi
}

inline announce(slot, at_instant) {
  announced[slot]++;
  if
  :: at_instant < bound[slot] -> bound[slot] = at_instant; wake(slot)
  :: else
  fi
}

inline raise(slot, to_instant) {
  bound[slot] = to_instant;
  fire(slot)
}

inline want(slot, at) {
  watched[slot] = MIN(watched[slot], at)
}

/* On a tie the message of the lower rank comes first. */
#ifdef MUTANT_TIES_DO_NOT_COUNT
#define TIE(rank_of_slot, from) 0
#elif defined MUTANT_TIES_BLOCK_EVERYBODY
#define TIE(rank_of_slot, from) (LOOKAHEAD + 1)
#else
#define TIE(rank_of_slot, from) ((rank_of_slot) > (from) -> 0 : 1)
#endif

/* The sender of the message itself is exempt, if it is on this node: its later messages come after this one. */
inline consider(slot, rank_of_slot) {
  need_ = (rank_of_slot != from || slot >= RANKS -> at - LOOKAHEAD + TIE(rank_of_slot, from)
                                                 : at - 2 * LOOKAHEAD + 1);
  if
  :: bound[slot] < need_ && (blocker == NOBODY || bound[slot] > bound[blocker]) -> blocker = slot; needed = need_
  :: else
  fi
}

inline blocking_rank() {
  blocker = NOBODY;
  needed = 0;
  for (i_ : 0 .. RANKS - 1) {
    if
    :: i_ != r && NODE_OF(i_) == NODE_OF(r) -> consider(i_, i_)
    :: else
    fi
  }
  for (i_ : 0 .. NODES - 1) {
    if
    :: i_ != NODE_OF(r) -> slot_ = SLOT_OF_NODE(NODE_OF(r), i_); rank_ = FIRST_RANK(i_); consider(slot_, rank_)
    :: else
    fi
  }
}

/* Table::sleep up to the futex: registers, and has the agent ask the blocking nodes. */
inline watch() {
  needs[r] = needed;
  watchers[blocker] = watchers[blocker] | (1 << r);
  want(blocker, needed);
  if
  :: bound[blocker] >= needed -> asleep[r] = 0
  :: else ->
     rest_ = (blocker >= RANKS);
     for (i_ : 0 .. NODES - 1) {
       slot_ = SLOT_OF_NODE(NODE_OF(r), i_);
       if
       :: i_ != NODE_OF(r) && bound[slot_] < needed -> want(slot_, needed); rest_ = 1
       :: else
       fi
     }
     if
     :: rest_ -> wake(AGENT(NODE_OF(r)))
     :: else
     fi
  fi
}

/* --- a rank */

inline put() {
  at = now + at;
  /* A message does not count before all earlier messages of its source have been taken. */
  assert(sent[PAIR(r, to)] > taken[PAIR(r, to)] || r == last_from[to] || !BEFORE(at, r, last_at[to], last_from[to]));
  arrival[PAIR(r, to) * PER_PAIR + sent[PAIR(r, to)]] = at;
  sent[PAIR(r, to)]++;
  if
  :: NODE_OF(to) == NODE_OF(r) -> inbox[PAIR(r, to)]++
  :: else
  fi
}

inline drain() {
  for (i_ : 0 .. RANKS - 1) {
    if
    :: i_ != r -> drained[PAIR(i_, r)] = inbox[PAIR(i_, r)]
    :: else
    fi
  }
}

/* The least of the messages that are the first of their source, in send order. */
inline choose() {
  at = NEVER;
  from = NOBODY;
  for (i_ : 0 .. RANKS - 1) {
    if
    :: i_ != r && taken[PAIR(i_, r)] < drained[PAIR(i_, r)] &&
       BEFORE(arrival[PAIR(i_, r) * PER_PAIR + taken[PAIR(i_, r)]], i_, at, from) ->
       at = arrival[PAIR(i_, r) * PER_PAIR + taken[PAIR(i_, r)]];
       from = i_
    :: else
    fi
  }
}

inline take() {
  for (i_ : 0 .. RANKS - 1) {
    assert(i_ == r || i_ == from || taken[PAIR(i_, r)] == sent[PAIR(i_, r)] ||
           !BEFORE(arrival[PAIR(i_, r) * PER_PAIR + taken[PAIR(i_, r)]], i_, at, from))
  }
  taken[PAIR(from, r)]++;
  if
  :: BEFORE(last_at[r], last_from[r], at, from) -> last_at[r] = at; last_from[r] = from
  :: else
  fi;
  now = MAX(now, at)
}

/* Wire::blocked and sleep, up to the futex. */
inline block() {
  clock[r] = now;
  acts_ = MAX(now, at);
  raise(r, acts_);
  asleep[r] = 1;
  state[r] = (at < NEVER -> in_the_way_of : for_ever);
  if
  :: at < NEVER -> watch()
  :: else
  fi;
  at = 0;
  from = 0;
  needed = 0
}

/* next_event, after draining. */
inline decide() {
  choose();
  blocker = NOBODY;
  needed = 0;
  if
  :: at < NEVER -> blocking_rank()
  :: else
  fi;
  if
  :: announced[r] != seen
  :: announced[r] == seen && at < NEVER && blocker == NOBODY -> take(); receiving = 0
  :: else -> block()
  fi;
  seen = 0;
  blocker = 0
}

inline leave() {
  if
  :: sends + receives > 0 -> clock[r] = now
  :: else -> clock[r] = NEVER; state[r] = over
  fi;
  raise(r, clock[r]);
  at = 0;
  from = 0;
  to = 0
}

proctype rank(byte r, sends, receives) {
  byte now, to, at, from, seen, blocker, needed;
  bit receiving;

  do
  :: sends > 0 && (receives == 0 || ANY_ORDER) ->
     atomic {
       if
       :: TO(r) & 1 && r != 0 -> to = 0
       :: TO(r) & 2 && r != 1 -> to = 1
       :: TO(r) & 4 && r != 2 -> to = 2
       fi;
#if LATE > 0
       if
       :: true
       :: now = now + LATE
       fi;
#endif
       if
#ifdef FAR
       :: at = LOOKAHEAD + (r == 2 && to == 0 -> SLOW : 0)
#else
       :: at = LOOKAHEAD
#if SLOW > 0
       :: at = LOOKAHEAD + SLOW
#endif
#endif
       fi;
       sends--;
       d_step { put() }
     }
     d_step {
       if
       :: NODE_OF(to) == NODE_OF(r) -> acts_ = MAX(at, clock[to]); announce(to, acts_)
       :: else ->
          slot_ = SLOT_OF_NODE(NODE_OF(r), NODE_OF(to));
          announce(slot_, at);
#ifndef MUTANT_AGENT_NOT_WOKEN
          wake(AGENT(NODE_OF(r)))
#endif
       fi
     }
progress_sent:
     atomic { true; d_step { leave() } }
  :: receives > 0 ->
     receives--;
     receiving = 1;
     do
     :: receiving ->
end_asleep:
        atomic {
          asleep[r] == 0;
#ifndef MUTANT_COUNTED_AFTER_DRAINING
          seen = announced[r];
#endif
          d_step {
            state[r] = running;
            needs[r] = 0;
            drain()
          }
        }
#ifdef MUTANT_COUNTED_AFTER_DRAINING
        seen = announced[r];
#endif
        d_step { decide() }
     :: else -> break
     od;
progress_received:
     atomic { true; d_step { leave() } }
  :: sends + receives == 0 -> break
  od
}

/* --- an agent */

/* Flow::in_transit of the messages of this node to m, and of those of the third node. */
inline cut_bound() { /* of node k_; j_ is the link to it */
  least_ = said[j_];
#ifndef MUTANT_IN_FLIGHT_FORGOTTEN
  for (i_ : 0 .. PER_FLOW - 1) {
    if
    :: i_ >= said_received[j_] && i_ < flow_sent[j_] -> least_ = MIN(least_, flow_arrival[j_ * PER_FLOW + i_])
    :: else
    fi
  }
#endif
#if NODES == 3 && !defined MUTANT_IN_FLIGHT_OF_THIRD_FORGOTTEN
  for (i_ : 0 .. PER_FLOW - 1) {
    if
    :: i_ >= said_received_third[j_] && i_ < third_sent[j_] ->
       least_ = (i_ < third_first[j_] -> 0 : MIN(least_, flow_arrival[LINK(THIRD(n, k_), k_) * PER_FLOW + i_]))
    :: else
    fi
  }
#endif
}

/* Agent::apply for one of the nodes `changed`, this one's partner first, falls before rises. Fails if a rank has
 * announced a message to that node that the outbox has not shown yet. */
inline set_next() {
  k_ = (changed & (1 << m) || (!changed && rising & (1 << m)) -> m : THIRD(n, m));
  slot_ = SLOT_OF_NODE(n, k_);
  j_ = LINK(n, k_);
  done = 1;
  cut_bound();
  if
#ifndef MUTANT_RISES_NOT_LAST
  :: changed && least_ > bound[slot_] ->
     rising = rising | (1 << k_)
#endif
#ifndef MUTANT_SET_WITHOUT_COUNTING
  :: !(changed && least_ > bound[slot_]) && announced[slot_] > flow_sent[j_] -> done = 0
#endif
  :: else ->
     if
     :: least_ > bound[slot_] -> raise(slot_, least_)
     :: else -> bound[slot_] = least_
     fi;
     if
     :: !changed -> rising = rising & ~(1 << k_)
     :: else
     fi
  fi;
  if
  :: done -> changed = changed & ~(1 << k_)
  :: else
  fi;
  if
  :: !changed && !rising -> m = 0; done = 0
  :: else
  fi
}

#define IN_OUTBOX(s, d) (NODE_OF(s) == n && NODE_OF(d) != n && sent[PAIR(s, d)] > forwarded[PAIR(s, d)])

inline take_outbox() {
  atomic {
    do
    :: if
       :: IN_OUTBOX(0, 1) -> number = PAIR(0, 1)
       :: IN_OUTBOX(0, 2) -> number = PAIR(0, 2)
       :: IN_OUTBOX(1, 0) -> number = PAIR(1, 0)
       :: IN_OUTBOX(1, 2) -> number = PAIR(1, 2)
       :: IN_OUTBOX(2, 0) -> number = PAIR(2, 0)
       :: IN_OUTBOX(2, 1) -> number = PAIR(2, 1)
       :: else -> break
       fi;
       d_step { /* forward */
         j_ = LINK(n, NODE_OF(RECEIVER(number)));
         flow_arrival[j_ * PER_FLOW + flow_sent[j_]] = arrival[number * PER_PAIR + forwarded[number]];
         flow_sent[j_]++;
         forwarded[number]++;
         assert(nfull(stream[j_]));
         stream[j_]!FRAME(message, number, received[j_], 0, 0, 0)
       }
    od;
    number = 0
  }
}

/* The least bound of the ranks of this node. If it is below the bound that is asked for, `least_`: 0, and the agent
 * watches one of the ranks. */
inline local_bound() {
  own = NEVER;
  k_ = NOBODY;
  for (i_ : 0 .. RANKS - 1) {
    if
    :: NODE_OF(i_) == n ->
       own = MIN(own, bound[i_]);
       if
       :: bound[i_] < least_ && (k_ == NOBODY || bound[i_] > bound[k_]) -> k_ = i_
       :: else
       fi
    :: else
    fi
  }
  if
  :: k_ != NOBODY ->
     own = 0;
     needs[AGENT(n)] = least_;
     watchers[k_] = watchers[k_] | (1 << AGENT(n));
     want(k_, least_)
  :: else
  fi
}

inline report_to(node) {
  j_ = LINK(n, node);
  assert(nfull(stream[j_]));
#if NODES == 3
  k_ = LINK(n, THIRD(n, node));
  if
  :: reported_sent[j_] == flow_sent[k_] ->
     stream[j_]!FRAME(report, own, received[j_], received[k_], 0, UNCHANGED)
  :: else ->
     reported_sent[j_] = flow_sent[k_];
     stream[j_]!FRAME(report, own, received[j_], received[k_], flow_first[k_], flow_sent[k_])
  fi
#else
  stream[j_]!FRAME(report, own, received[j_], 0, 0, 0)
#endif
}

/* Table::wanted, and its use in Agent::ask. */
inline ask_node(node) {
  k_ = LINK(n, node);
  slot_ = SLOT_OF_NODE(n, node);
  fire(slot_);
  if
  :: watched[slot_] <= NEVER && (asked_by_us[k_] == 0 || asked_by_us[k_] > watched[slot_]) ->
     asked_by_us[k_] = watched[slot_];
     assert(nfull(stream[k_]));
     stream[k_]!FRAME(ask, watched[slot_], received[k_], 0, 0, 0)
  :: else
  fi
}

inline take_report() {
  j_ = LINK(n, m);
#ifndef MUTANT_NOT_ASKED_AGAIN
  if
  :: asked_by_us[j_] <= number -> asked_by_us[j_] = 0
  :: else
  fi;
#endif
  said[j_] = number;
#ifndef MUTANT_RECEIVED_NOT_SAID
  said_received[j_] = count;
#endif
  changed = 1 << m;
#if NODES == 3
  said_received_third[j_] = count_third;
  if
  :: to_third != UNCHANGED ->
     third_first[LINK(n, THIRD(n, m))] = first;
     third_sent[LINK(n, THIRD(n, m))] = to_third;
     changed = changed | (1 << THIRD(n, m))
  :: else
  fi
#endif
}

inline report_to_all() {
  for (i_ : 0 .. NODES - 1) {
    if
    :: i_ != n && asked_by_it[LINK(n, i_)] && asked_by_it[LINK(n, i_)] <= own ->
       asked_by_it[LINK(n, i_)] = 0;
       report_to(i_)
    :: else
    fi
  }
  own = 0
}

inline least_asked() {
  least_ = NOBODY;
  for (i_ : 0 .. NODES - 1) {
    if
    :: i_ != n && asked_by_it[LINK(n, i_)] -> least_ = MIN(least_, asked_by_it[LINK(n, i_)])
    :: else
    fi
  }
}

inline ask_all() {
  for (i_ : 0 .. NODES - 1) {
    if
    :: i_ != n -> ask_node(i_)
    :: else
    fi
  }
}

inline take_message() {
  inbox[number]++;
  k_ = RECEIVER(number);
  acts_ = MAX(arrival[number * PER_PAIR + inbox[number] - 1], clock[k_]);
  announce(k_, acts_);
  received[LINK(n, m)]++
}

inline read() {
  stream[LINK(m, n)]?FRAME(kind, number, count, count_third, first, to_third);
#if NODES == 3
  flow_first[LINK(n, m)] = MAX(flow_first[LINK(n, m)], count);
#endif
  if
  :: kind == message -> take_message()
  :: kind == ask -> asked_by_it[LINK(n, m)] = number
  :: kind == report -> take_report()
  fi;
  number = 0;
  if
  :: !changed -> m = 0
  :: else
  fi
}

#define TAKE_FROM(node) n != node && nempty(stream[LINK(node, n)]) -> m = node

proctype agent(byte n) {
  byte m;               /* the node whose frame is read */
  byte changed, rising; /* nodes whose slots are to be set */
  byte own;             /* the bound to be reported */
  bit done;

step:
  atomic {
    asleep[AGENT(n)] = 1;
    take_outbox();
#ifndef MUTANT_OUTBOX_BEFORE_BOUND
    goto bounds
#endif
  }
tell:
#ifndef MUTANT_OUTBOX_BEFORE_BOUND
  take_outbox(); /* messages that were sent before that bound precede the report */
#endif
  atomic {
    true;
    d_step { report_to_all() }
bounds:
    true;
    d_step {
      least_asked();
      if
      :: least_ != NOBODY -> local_bound()
      :: else
      fi;
      if
      :: own == 0 -> ask_all()
      :: else
      fi
    }
    if
    :: own > 0 -> goto tell
    :: else
    fi
  }
end_wait:
  atomic {
    if
    :: pipe[n] -> pipe[n] = 0; goto step
    :: TAKE_FROM(0)
    :: TAKE_FROM(1)
#if NODES == 3
    :: TAKE_FROM(2)
#endif
    fi;
    d_step { read() }
  }
  do
  :: changed || rising ->
     d_step { set_next() }
     if
     :: !done -> take_outbox()
     :: else
     fi
  :: else -> break
  od;
  goto step
}

/* The final state. */
proctype monitor() {
end_of_time:
  timeout;
  d_step {
    for (i_ : 0 .. RANKS - 1) {
      assert(state[i_] == over || state[i_] == for_ever);
      for (k_ : 0 .. RANKS - 1) {
        assert(state[i_] == over || k_ == i_ || drained[PAIR(k_, i_)] == sent[PAIR(k_, i_)])
      }
    }
  }
}

init {
  atomic {
    d_step {
      for (i_ : 0 .. SLOTS - 1) {
        watched[i_] = NOBODY
      }
    }
    run agent(0);
    run agent(1);
#if NODES == 3
    run agent(2);
#endif
    run rank(0, S0, R0);
    run rank(1, S1, R1);
    run rank(2, S2, R2);
    run monitor()
  }
}
