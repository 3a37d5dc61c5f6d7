// Events that random programs have to meet, in words.
#pragma once

#include <cstdint>
#include <cstdio>
#include <span>

#include "reference/simulator/coverage.h"

namespace emu::reference {

struct Kind {
  const char* name;
  std::int64_t Coverage::*count;
};
inline constexpr Kind kinds[] = {
    {"messages", &Coverage::messages},
    {"handshakes", &Coverage::rendezvous},
    {"... whose data the receiver reads", &Coverage::reads},
    {"sends that lasted until their last byte had left", &Coverage::whole},
    {"synchronous messages without a handshake", &Coverage::synchronous},
    {"answers held for further trips", &Coverage::further},
    {"messages matched with receives from any source", &Coverage::choices},
    {"... that another source's could have got", &Coverage::contested},
    {"... or that tied", &Coverage::ties},
    {"messages that had to stand back for another's choice", &Coverage::held},
    {"waiting calls", &Coverage::waits},
    {"handshake steps inside calls on something else", &Coverage::progressed},
    {"tests", &Coverage::tests},
    {"probes", &Coverage::probes},
    {"iprobes", &Coverage::iprobes},
    {"false answers", &Coverage::false_polls},
    {"collectives (each rank's)", &Coverage::collectives},
    {"... that made a topology and used it", &Coverage::topologies},
    {"... whose edges other ranks told", &Coverage::edges},
    {"... that made an intercommunicator and used it", &Coverage::bridges},
    {"... that made one from another", &Coverage::parted_bridges},
    {"... either, made from groups of a session", &Coverage::from_groups},
    {"... that some members made for themselves", &Coverage::subsets},
    {"... among neighbours, that wait", &Coverage::near},
    {"... between groups, that wait", &Coverage::across},
    {"... in the background", &Coverage::in_background},
    {"... of these among neighbours", &Coverage::near_behind},
    {"... of these between groups", &Coverage::across_behind},
    {"... whose events calls on something else handled", &Coverage::beside},
    {"sends and receives with one request", &Coverage::exchanged},
    {"persistent requests that were started again", &Coverage::persistent},
    {"calls for any or some of active, inactive and null requests", &Coverage::mixtures},
    {"messages that matched probes took", &Coverage::matched},
    {"... and that were received after later receives had been posted", &Coverage::matched_late},
    {"partitioned sends", &Coverage::parts},
    {"requests of sends that were freed before they were complete", &Coverage::released_sends},
    {"... of receives", &Coverage::released_receives},
    {"... of persistent ones, which were started", &Coverage::released_starts},
    {"... of sends that were being cancelled", &Coverage::released_cancels},
    {"inactive persistent requests that were freed", &Coverage::freed_idle},
    {"sends that were taken back", &Coverage::cancelled},
    {"... that could not be, as they were matched", &Coverage::kept},
    {"receives that were taken back", &Coverage::unreceived},
    {"... that could not be, as their message had come", &Coverage::received},
    {"... beside a message that a matched probe had taken and no receive had", &Coverage::taken_beside},
    {"starts of persistent messages whose cancel was possible", &Coverage::retaken},
    {"messages on their way to those that were", &Coverage::let_go},
    {"receives behind these that were matched anew", &Coverage::rematched},
    {"messages that had to wait for a bus", &Coverage::queued},
    {"messages kept from overtaking one before them", &Coverage::kept_behind},
    {"computations across a change of speed", &Coverage::crossings},
    {"reductions of collectives that took time", &Coverage::reductions},
    {"copies of collectives that did", &Coverage::copies},
    {"collectives whose temporary memory did", &Coverage::memories},
};

// Not in the programs for derivatives, whose costs must not depend on the time polled.
inline constexpr Kind growth_kinds[] = {
    {"false answers that cost more than a poll", &Coverage::grown},
};

inline constexpr Kind failure_kinds[] = {
    {"messages lost at nodes that were down", &Coverage::lost},
    {"costs and waits that stood still meanwhile", &Coverage::stopped},
    {"ranks that failed for good", &Coverage::failed},
};

inline constexpr Kind noticed_kinds[] = {
    {"ranks that failed for good", &Coverage::failed},
    {"messages lost at nodes that were down", &Coverage::lost},
    {"sends in vain", &Coverage::in_vain},
    {"receives that failed (E4)", &Coverage::failed_receives},
    {"sends that failed (E4)", &Coverage::failed_sends},
    {"sends that were taken back", &Coverage::cancelled},
    {"... that could not be, as they were matched", &Coverage::kept},
    {"... whose receiver failed", &Coverage::unanswered},
    {"probes that failed (E4)", &Coverage::failed_probes},
    {"receives in doubt (E5)", &Coverage::doubts},
    {"probes in doubt (E5)", &Coverage::doubtful_probes},
    {"collectives that a failure broke (E6)", &Coverage::broken},
    {"... that began with it known", &Coverage::broken_at_once},
    {"leaders that told the other group of a failure", &Coverage::told},
    {"ranks that were told so", &Coverage::heeded},
    {"collectives in the background that a failure broke", &Coverage::broken_behind},
    {"parts of operations in the background that failed", &Coverage::failed_parts},
    {"sends and receives with one request in doubt", &Coverage::doubtful_exchanges},
    {"starts of requests made before", &Coverage::persistent},
    {"requests of sends that were freed before they were complete", &Coverage::released_sends},
    {"... of receives", &Coverage::released_receives},
    {"... of persistent ones, which were started", &Coverage::released_starts},
    {"... of sends that were being cancelled", &Coverage::released_cancels},
    {"inactive persistent requests that were freed", &Coverage::freed_idle},
    {"persistent receives left in doubt", &Coverage::left_in_doubt},
    {"partitioned sends that failed", &Coverage::failed_in_parts},
    {"receives of the messages of matched probes that failed", &Coverage::failed_taken},
    {"receives that were taken back", &Coverage::unreceived},
    {"... from any source, after a failure", &Coverage::doubtful_cancels},
    {"starts of persistent messages whose cancel was possible", &Coverage::retaken},
    {"acknowledgements of failures", &Coverage::acknowledged},
    {"agreements without one that failed", &Coverage::agreed},
    {"... that was not acknowledged by all", &Coverage::disagreed},
    {"communicators without one that failed", &Coverage::shrunk},
    {"members that failed before an agreement", &Coverage::unheard},
    {"agreements whose cost a failure broke", &Coverage::unpaid},
    {"reductions of collectives that took time", &Coverage::reductions},
    {"copies of collectives that did", &Coverage::copies},
    {"collectives whose temporary memory did", &Coverage::memories},
};

inline constexpr Kind concurrent_kinds[] = {
    {"messages", &Coverage::messages},
    {"handshakes", &Coverage::rendezvous},
    {"messages matched with receives from any source", &Coverage::choices},
    {"waiting calls", &Coverage::waits},
    {"tests", &Coverage::tests},
    {"probes", &Coverage::probes},
    {"iprobes", &Coverage::iprobes},
    {"false answers", &Coverage::false_polls},
    {"messages that matched probes took", &Coverage::matched},
    {"collectives (each rank's)", &Coverage::collectives},
    {"... in the background", &Coverage::in_background},
    {"sends that were taken back", &Coverage::cancelled},
    {"... that could not be, as they were matched", &Coverage::kept},
    {"receives that were taken back", &Coverage::unreceived},
};

inline constexpr Kind measured_kinds[] = {
    {"messages", &Coverage::messages},
    {"handshakes", &Coverage::rendezvous},
    {"messages matched with receives from any source", &Coverage::choices},
    {"... that another source's could have got", &Coverage::contested},
    {"waiting calls", &Coverage::waits},
    {"handshake steps inside calls on something else", &Coverage::progressed},
    {"tests", &Coverage::tests},
    {"false answers", &Coverage::false_polls},
    {"collectives (each rank's)", &Coverage::collectives},
};

// Prints how often each of these was met; false if one never was.
inline bool all_met(const Coverage& coverage, std::span<const Kind> kinds) {
  bool all = true;
  for (const Kind& kind : kinds) {
    const std::int64_t count = coverage.*kind.count;
    std::printf("%10lld %s\n", static_cast<long long>(count), kind.name);
    all = all && count > 0;
  }
  return all;
}

}  // namespace emu::reference
