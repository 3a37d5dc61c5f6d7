#include "mpi_calls.h"

#include "emu/emu.h"

namespace emu::goal {

// emu_compute takes seconds as double and rounds to picoseconds. Up to 1000 s a double is within a fraction
// of a picosecond, so the sum of such pieces is exact.
void MpiCalls::compute(std::int64_t picoseconds) {
  for (; picoseconds > piece; picoseconds -= piece) emu_compute(static_cast<double>(piece) / 1e12);
  emu_compute(static_cast<double>(picoseconds) / 1e12);
}

void MpiCalls::call(const Operation16& operation) {
  const int count = static_cast<int>(operation.amount), peer = static_cast<int>(operation.peer);
  if (scratch_.size() < static_cast<std::size_t>(count)) scratch_.resize(static_cast<std::size_t>(count));
  if (operation.what() == Kind::send)
    MPI_Send(scratch_.data(), count, MPI_BYTE, peer, operation.tag, comm_);
  else
    MPI_Recv(scratch_.data(), count, MPI_BYTE, peer, operation.tag, comm_, MPI_STATUS_IGNORE);
}

void MpiCalls::start(int number, const Operation16& operation) {
  const int count = static_cast<int>(operation.amount), peer = static_cast<int>(operation.peer);
  char* const data = buffers_.emplace_back(static_cast<std::size_t>(count)).data();
  request_of_.push_back(number);
  MPI_Request& request = requests_.emplace_back();
  if (operation.what() == Kind::send)
    MPI_Isend(data, count, MPI_BYTE, peer, operation.tag, comm_, &request);
  else
    MPI_Irecv(data, count, MPI_BYTE, peer, operation.tag, comm_, &request);
}

int MpiCalls::wait_for_one() {
  int at = 0;
  MPI_Waitany(static_cast<int>(requests_.size()), requests_.data(), &at, MPI_STATUS_IGNORE);
  const int number = request_of_[static_cast<std::size_t>(at)];
  requests_.erase(requests_.begin() + at);
  request_of_.erase(request_of_.begin() + at);
  buffers_.erase(buffers_.begin() + at);
  return number;
}

}  // namespace emu::goal
