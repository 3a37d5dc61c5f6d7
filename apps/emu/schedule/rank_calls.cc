#include "schedule/rank_calls.h"

#include <cstddef>

namespace emu::app::schedules {
namespace {

rank::Buffer buffer(const goal::Operation16& operation) { return fibers::bytes_only(operation.amount); }

}  // namespace

// MPI_COMM_WORLD has the first context (libemu/comm/communicator_creation.cc).
RankCalls::RankCalls(const fibers::Self& self) : self_(self), rank_(self.rank()) {
  world_.context = 2;
  world_.rank = rank_.number();
  world_.world = rank::Members::evenly(0, rank_.size());
}

void RankCalls::compute(std::int64_t picoseconds) {
  bool last = false;
  while (!last) {
    last = picoseconds <= goal::piece;
    const std::int64_t work = last ? picoseconds : goal::piece;
    picoseconds -= work;
    rank_.enter("emu_compute");
    self_.compute(Interval::picoseconds(work));
    rank_.leave();
  }
}

void RankCalls::call(const goal::Operation16& operation) {
  const int peer = static_cast<int>(operation.peer);
  const bool sends = operation.what() == goal::Kind::send;
  const char* const name = sends ? "MPI_Send" : "MPI_Recv";
  rank_.enter(name);
  const rank::Status status = sends ? rank_.send(world_, peer, operation.tag, buffer(operation))
                                    : rank_.receive(world_, peer, operation.tag, buffer(operation));
  self_.check(name, status, operation.amount);
  rank_.leave();
}

void RankCalls::start(int number, const goal::Operation16& operation) {
  const int peer = static_cast<int>(operation.peer);
  const bool sends = operation.what() == goal::Kind::send;
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
  self_.check(name, request->status, request->buffer.bytes);
  rank_.free(request);
  const int number = request_of_[static_cast<std::size_t>(place)];
  requests_.erase(requests_.begin() + place);
  request_of_.erase(request_of_.begin() + place);
  rank_.leave();
  return number;
}

}  // namespace emu::app::schedules
