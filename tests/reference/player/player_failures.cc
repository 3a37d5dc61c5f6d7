// The player's operations on the remaining ranks after failures.
#include "reference/player/player.h"

namespace emu::reference {

std::int64_t Player::bits(MPI_Group group) const {
  int size = 0;
  MPI_Group_size(group, &size);
  std::int64_t value = 0;
  for (int i = 0; i < size; ++i) {
    int world = 0;
    MPI_Group_translate_ranks(group, 1, &i, world_, &world);
    value |= std::int64_t{1} << world;
  }
  return value;
}

void Player::react(const Operation& o) {
  MPI_Group group;
  switch (o.action) {
    case Action::acknowledge:
      went_well(MPIX_Comm_failure_ack(comm(o)));
      break;
    case Action::get_acknowledged:
      went_well(MPIX_Comm_failure_get_acked(comm(o), &group));
      outcome_.value = bits(group);
      MPI_Group_free(&group);
      break;
    case Action::agree: {
      int flag = o.flag;
      went_well(MPIX_Comm_agree(comm(o), &flag));
      outcome_.value = flag;
      break;
    }
    case Action::shrink: {
      MPI_Comm left;
      if (!went_well(MPIX_Comm_shrink(comm(o), &left))) break;
      communicators_.push_back(left);
      MPI_Comm_group(left, &group);
      outcome_.value = bits(group);
      MPI_Group_free(&group);
      break;
    }
    default: {
      void* address = nullptr;
      int size = 0;
      went_well(MPI_Buffer_detach(&address, &size));
      MPI_Buffer_attach(address, size);
      break;
    }
  }
}

}  // namespace emu::reference
