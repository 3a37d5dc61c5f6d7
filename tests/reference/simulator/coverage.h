// Numbers of the events that occurred in a simulation.
#pragma once

#include <cstdint>

namespace emu::reference {

// The events that occurred, to check that the tests test something.
struct Coverage {
  std::int64_t messages = 0;     // of programs, not of collectives
  std::int64_t rendezvous = 0;   // of any origin
  std::int64_t reads = 0;        // handshakes whose data the receiver read
  std::int64_t whole = 0;        // sends that lasted until their last byte had left
  std::int64_t synchronous = 0;  // synchronous messages that need no handshake
  std::int64_t choices = 0;      // messages matched with receives from any source
  std::int64_t contested = 0;    // choices for which a message of another source competed
  std::int64_t ties = 0;
  std::int64_t held = 0;    // messages released by the choice of another one, see Mailbox::settle
  std::int64_t probes = 0;  // blocking
  std::int64_t iprobes = 0;
  std::int64_t tests = 0;
  std::int64_t false_polls = 0;
  std::int64_t grown = 0;       // false answers that cost more than a poll
  std::int64_t waits = 0;       // completion calls that wait
  std::int64_t further = 0;     // answers that waited for the further trips of their handshake
  std::int64_t progressed = 0;  // handshake messages handled by a call on other requests
  std::int64_t collectives = 0;
  std::int64_t topologies = 0;         // communicators with one
  std::int64_t edges = 0;              // ... whose edges other ranks tell
  std::int64_t bridges = 0;            // intercommunicators
  std::int64_t parted_bridges = 0;     // intercommunicators from which others were made
  std::int64_t subsets = 0;            // collectives that made a communicator of some members
  std::int64_t from_groups = 0;        // of either kind, created from groups of a session
  std::int64_t near = 0;               // collectives that wait, among neighbours
  std::int64_t across = 0;             // ... between the groups of an intercommunicator
  std::int64_t near_behind = 0;        // collectives in the background, among neighbours
  std::int64_t across_behind = 0;      // ... between groups
  std::int64_t in_background = 0;      // number of collectives, summed over ranks
  std::int64_t beside = 0;             // events of these that a call on another operation handled
  std::int64_t exchanged = 0;          // sends and receives with one request
  std::int64_t persistent = 0;         // starts of requests that were made before
  std::int64_t mixtures = 0;           // calls for any or some requests: active, inactive and null ones
  std::int64_t matched = 0;            // messages that a matched probe took
  std::int64_t matched_late = 0;       // ... and that were received when later receives had been posted
  std::int64_t parts = 0;              // partitioned sends
  std::int64_t released_sends = 0;     // requests that were freed before they were complete
  std::int64_t released_receives = 0;  // ... of receives
  std::int64_t released_starts = 0;    // ... of persistent ones
  std::int64_t released_cancels = 0;   // ... of sends that were being cancelled
  std::int64_t cancelled = 0;          // sends that were taken back
  std::int64_t unreceived = 0;         // receives that were taken back
  std::int64_t received = 0;           // receives whose cancel came too late
  std::int64_t retaken = 0;            // starts of persistent messages whose cancel was possible
  std::int64_t let_go = 0;             // messages in transit to receives that were taken back
  std::int64_t rematched = 0;          // receives behind these that were matched anew
  std::int64_t kept = 0;               // sends that had been matched before their cancel
  std::int64_t unanswered = 0;         // cancels whose receiver failed
  std::int64_t shared = 0;             // messages that took longer than alone on shared resources
  std::int64_t queued = 0;             // messages that had to wait for the bus
  std::int64_t kept_behind = 0;  // messages on a link that became faster, held behind an earlier message
  std::int64_t lost = 0;         // messages that arrived at a node that was down, or were no longer sent
  std::int64_t stopped = 0;      // costs and waits that an outage of the node made longer
  std::int64_t failed = 0;       // ranks that failed for good
  std::int64_t crossings = 0;    // computations during which the speed of their node changed
  std::int64_t freed_idle = 0;   // inactive persistent requests that were freed
  std::int64_t taken_beside =
      0;  // receives that were taken back while a rank had the message of a matched probe
  // Work of collectives that takes time.
  std::int64_t reductions = 0;
  std::int64_t copies = 0;
  std::int64_t memories = 0;  // collectives with temporary memory
  // Failures that are noticed.
  std::int64_t in_vain = 0;             // sends to ranks that are known to have failed
  std::int64_t failed_receives = 0;     // E4
  std::int64_t failed_sends = 0;        // E4
  std::int64_t failed_probes = 0;       // E4
  std::int64_t doubts = 0;              // E5, of receives
  std::int64_t doubtful_probes = 0;     // E5
  std::int64_t broken = 0;              // E6
  std::int64_t broken_at_once = 0;      // collectives that began when a failure was known
  std::int64_t told = 0;                // leaders of groups that told the other leader of a failure
  std::int64_t heeded = 0;              // ranks that ended an operation because of that
  std::int64_t broken_behind = 0;       // E6 of collectives in the background
  std::int64_t failed_parts = 0;        // E4 of parts of operations in the background
  std::int64_t doubtful_exchanges = 0;  // E5 of sends and receives with one request
  std::int64_t failed_in_parts = 0;     // E4 of partitioned sends
  std::int64_t failed_taken = 0;        // E4 of receives of the message of a matched probe
  std::int64_t left_in_doubt = 0;       // persistent receives in doubt, which cannot start again
  std::int64_t doubtful_cancels = 0;    // receives from any source that are taken back after a failure
  std::int64_t acknowledged = 0;        // calls that acknowledged a failure
  std::int64_t agreed = 0;              // agreements without a failed member, summed over ranks
  std::int64_t disagreed = 0;           // ... that report an unacknowledged failure
  std::int64_t shrunk = 0;              // communicators that lack a member
  std::int64_t unpaid = 0;              // agreements whose cost a failure broke
  std::int64_t unheard = 0;  // members that failed before they joined an agreement, or had its answer
};

}  // namespace emu::reference
