#include "mpi/collective_call.h"

namespace emu::mpi {

const rank::Communicator& CollectiveCall::rooted(int root) const {
  if (root < 0 || root >= comm_.size())
    throw Error{MPI_ERR_ROOT, "invalid root " + std::to_string(root) + " in a communicator of size " +
                                  std::to_string(comm_.size())};
  return comm_;
}

[[gnu::hot]] rank::Memory CollectiveCall::memory() {
  const std::byte* const from = inputs.any() ? inputs.bytes() : input.bytes();
  std::byte* const to = outputs.any() ? outputs.bytes() : output.bytes();
  return with ? with->memory(from, to) : rank::Memory{from, to, nullptr, nullptr};
}

[[gnu::hot]] void CollectiveCall::run(rank::Rank& rank) {
  mpi::run(rank, comm_, schedule, memory());
  store();
}

CollectiveCall::~CollectiveCall() {
  for (MPI_Datatype& type : kept_) PMPI_Type_free(&type);
}

void CollectiveCall::keep_type(Packed& packed) {
  if (packed.contiguous()) return;
  kept_.push_back(packed.type() = kept_type(packed.type()));
}

rank::Request* CollectiveCall::start(rank::Rank& rank) {
  keep_type(output);
  for (Packed& part : outputs.copies()) keep_type(part);
  shared_ = process->communicators.share(handle_);
  background_ = rank.start(comm_, schedule, memory());
  return background_->request();
}

[[gnu::hot]] void CollectiveCall::store() {
  if (over_) return;
  over_ = true;
  if (stored > 0) output.store(0, stored);
  outputs.store();
}

}  // namespace emu::mpi
