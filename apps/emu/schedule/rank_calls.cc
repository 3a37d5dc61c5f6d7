#include "schedule/rank_calls.h"

#include <cstddef>
#include <utility>

#include "base/units.h"

namespace emu::app::schedules {
namespace {

using goal::Kind;

// Of messages without contents.
constexpr rank::Layout nothing_inside{
    [](const rank::Buffer&, std::byte*) {},
    [](const rank::Buffer&, const std::byte*, model::Bytes) { return true; }, nullptr};

rank::Buffer buffer(const goal::Operation16& operation) {
  return {nullptr, operation.amount, &nothing_inside, 0, 0};
}

std::string when(Instant at) { return format(at - Instant::start(), 9); }

}  // namespace

// MPI_COMM_WORLD has the first context (libemu/comm/communicators.cc).
RankCalls::RankCalls(rank::Rank& rank, std::function<void(const std::string&)> stop)
    : rank_(rank), stop_(std::move(stop)) {
  world_.context = 2;
  world_.rank = rank.number();
  world_.world = rank::Members::evenly(0, rank.size());
}

void RankCalls::compute(std::int64_t picoseconds) {
  bool last = false;
  while (!last) {
    last = picoseconds <= goal::piece;
    const std::int64_t work = last ? picoseconds : goal::piece;
    picoseconds -= work;
    rank_.enter("emu_compute");
    if (!rank_.declared(Interval::picoseconds(work)))
      stop_("starvation: rank " + std::to_string(rank_.number()) + " computes from " + when(rank_.now()) +
            " on, and its node is too slow for that, or stands still for ever; in the target file, raise "
            "speed, or let what "
            "makes it 0 end by `until`");
    rank_.leave();
  }
}

void RankCalls::check(const char* call, const rank::Status& status, std::int64_t room) {
  const std::string who = "rank " + std::to_string(rank_.number()) + ": " + call + ": ";
  if (status.failed >= 0)
    stop_(who + "rank " + std::to_string(status.failed) + " failed at " +
          when(rank_.failures().at(status.failed)) + " with its node, noticed at " + when(rank_.now()));
  if (status.truncated)
    stop_(who + "message truncated: " + counted(status.bytes, "byte") + " from rank " +
          std::to_string(status.source) + ", tag " + std::to_string(status.tag) + ", for a receive of " +
          counted(room, "byte"));
}

void RankCalls::call(const goal::Operation16& operation) {
  const int peer = static_cast<int>(operation.peer);
  const bool sends = operation.what() == Kind::send;
  const char* const name = sends ? "MPI_Send" : "MPI_Recv";
  rank_.enter(name);
  const rank::Status status = sends ? rank_.send(world_, peer, operation.tag, buffer(operation))
                                    : rank_.receive(world_, peer, operation.tag, buffer(operation));
  check(name, status, operation.amount);
  rank_.leave();
}

void RankCalls::start(int number, const goal::Operation16& operation) {
  const int peer = static_cast<int>(operation.peer);
  const bool sends = operation.what() == Kind::send;
  rank_.enter(sends ? "MPI_Isend" : "MPI_Irecv");
  requests_.push_back(sends ? rank_.isend(world_, peer, operation.tag, buffer(operation))
                            : rank_.ireceive(world_, peer, operation.tag, buffer(operation)));
  request_of_.push_back(number);
  rank_.leave();
}

int RankCalls::wait_for_one() {
  constexpr const char* name = "MPI_Waitany";
  rank_.enter(name);
  const int place = rank_.wait_any(requests_);
  rank::Request* const request = requests_[static_cast<std::size_t>(place)];
  check(name, request->status, request->buffer.bytes);
  rank_.free(request);
  const int number = request_of_[static_cast<std::size_t>(place)];
  requests_.erase(requests_.begin() + place);
  request_of_.erase(request_of_.begin() + place);
  rank_.leave();
  return number;
}

}  // namespace emu::app::schedules
