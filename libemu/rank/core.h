// State that all parts of an emulated rank share: its number, its clock, its network, and parts of its wire.
#pragma once

#include <utility>
#include <vector>

#include "clock/clock.h"
#include "match/wire.h"
#include "model/network.h"
#include "rank/event.h"
#include "rank/failures.h"
#include "rank/horizon.h"
#include "rank/polling.h"
#include "rank/storage.h"
#include "record/program.h"
#include "record/recorder.h"

namespace emu::rank {

struct Core {
  // `network` and `wire` outlive it.
  Core(int number, int size, const model::Network& network, match::Wire& wire, Failures failures,
       clock::Clock clock, const model::Storage& storage = {})
      : number(number),
        size(size),
        network(network),
        transport(wire),
        landings(wire),
        deadlock_report(wire),
        failures(std::move(failures)),
        clock(std::move(clock)),
        storage(storage) {}
  Core(const Core&) = delete;

  const int number;  // in MPI_COMM_WORLD
  const int size;    // of MPI_COMM_WORLD
  const model::Network& network;
  match::Transport& transport;
  match::Landings& landings;
  match::DeadlockReport& deadlock_report;
  const Failures failures;
  clock::Clock clock;
  Storage storage;
  Polling polling;
  Horizon horizon;
  bool loses = false;                        // some node is down for a time, so messages may be lost
  bool withdraws = false;                    // sends may be cancelled
  const char* call = "";                     // current call; a string of static storage duration
  record::Recorder* recorder = nullptr;      // null: no recording
  record::ProgramWriter* program = nullptr;  // null: the program's requests are not kept

  void handle(const Event& event) {
    polling.interrupted();
    event.protocol->handle(event);
  }
  // To be called when this rank sends a message.
  void sends() {
    polling.interrupted();
    horizon.forget();
  }
  // The program sleeps for `d`, beginning at the clock.
  Access asleep(Interval d) {
    Access pause{clock.now() + d, clock.path(), record::Awaited::sleep};
    clock.check(pause.done);
    pause.path.asleep += d;
    return pause;
  }
  // Work of a collective, at the clock, and kept for replays: a copy, a predefined reduction, temporary memory.
  void charge_copy(model::Bytes bytes) {
    const Interval cost = network.copying(bytes);
    if (program) program->copy(bytes, cost);
    if (cost > Interval()) clock.copy(cost, bytes);
  }
  void charge_reduction(model::Bytes bytes) {
    const Interval cost = network.reduction(bytes);
    if (program) program->combine(bytes, cost);
    if (cost > Interval()) clock.reduce(cost, bytes);
  }
  void charge_memory(model::Bytes bytes, model::Bytes largest) {
    if (bytes == 0) return;
    const Interval cost = network.temporary(bytes, largest);
    if (program) program->allocate(bytes, largest, cost);
    if (cost > Interval()) clock.allocate(cost, bytes);
  }
  // Records such work, which began at `before`. In a trace, work is not part of a wait: the call's record ends before the
  // work, and a new one begins after it.
  void record_work(Instant before, match::Context collective) {
    if (!recorder || clock.now() == before) return;
    recorder->leave();
    recorder->enter(call, clock.now());
    recorder->collective(collective);
  }
  // Drops a message that nothing needs any more. A message in transit is only marked: it still shares the resources.
  void discard(match::Message* message) {
    message->met = nullptr;
    message->dropped = true;
    if (!message->in_transit) transport.release(message);
  }
  // Drops a message that is lost because a node is down.
  void lose(match::Message* message, const match::Loss& loss) {
    deadlock_report.lost(loss);
    transport.release(message);
  }
};

}  // namespace emu::rank
