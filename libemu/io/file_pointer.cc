#include "io/file_pointer.h"

#include <cstring>

#include "mpi/convert.h"

namespace emu::mpi {

SharedPointer::SharedPointer(rank::Rank& rank, const Communicator& members, MPI_Offset at)
    : rank_(rank), members_(members), at_(at) {
  if (members.rank == 0) rank.windows().open(members.context, *this);
}

SharedPointer::~SharedPointer() {
  if (members_.rank == 0) rank_.windows().close(members_.context);
}

MPI_Offset SharedPointer::ask(const Move& move) {
  const int first = members_.world[0];
  MPI_Offset before = 0;
  check_failed(rank_.known_failed(first));
  rank_.windows().ask({.window = members_.context,
                       .to = first,
                       .bytes = sizeof move.elements,
                       .answers = sizeof before,
                       .described = std::as_bytes(std::span(&move, 1))},
                      [&before](const std::byte* answer) { std::memcpy(&before, answer, sizeof before); });
  check_failed(rank_.wait_for_answers(members_.context, first));
  return before;
}

void SharedPointer::apply(std::span<const std::byte> operation, std::byte* answer) {
  Move move;
  std::memcpy(&move, operation.data(), sizeof move);
  std::memcpy(answer, &at_, sizeof at_);
  at_ = move.absolute ? move.elements : at_ + move.elements;
}

}  // namespace emu::mpi
