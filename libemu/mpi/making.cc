#include "mpi/making.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "mpi/convert.h"
#include "mpi/entry.h"

namespace emu::mpi::making {

namespace {

using rank::Memory;

void unite(void*, const std::byte* from, std::byte* into, model::Bytes bytes) {
  for (model::Bytes i = 0; i < bytes; ++i) into[i] |= from[i];
}

}  // namespace

ContextAgreement::ContextAgreement(const rank::Communicator& members)
    : schedule_(model::allreduce(members.rank, members.size(), mask)) {
  suggest(members.rank == 0);
}

ContextAgreement::ContextAgreement(const Communicator& inter, const model::Sides& sides)
    : at_(inter.first ? 0 : mask.bytes()),
      schedule_(model::inter_names(sides, mask, sizeof(match::Context))) {
  suggest(inter.rank == 0);
}

void ContextAgreement::suggest(bool first) {
  const match::Context context = first ? process->communicators.new_context() : 0;
  std::memcpy(own_.data(), &context, sizeof context);
}

Memory ContextAgreement::memory() { return {own_.data(), all_.data(), &unite, nullptr}; }

match::Context ContextAgreement::context() const {
  match::Context context;
  std::memcpy(&context, all_.data() + at_, sizeof context);
  return context;
}

match::Context agree_on_context(rank::Rank& rank, const rank::Communicator& members) {
  ContextAgreement agreement(members);
  run(rank, members, agreement.schedule(), agreement.memory());
  return agreement.context();
}

std::vector<Wish> all_wishes(rank::Rank& rank, const rank::Communicator& comm, const Wish& own) {
  std::vector<Wish> all(static_cast<std::size_t>(comm.size()));
  run(rank, comm, model::allgather(comm.rank, comm.size(), sizeof own),
      Memory{reinterpret_cast<const std::byte*>(&own), reinterpret_cast<std::byte*>(all.data()), nullptr,
             nullptr});
  return all;
}

rank::Members those_of(const std::vector<Wish>& wishes, int color, const rank::Members& group) {
  std::vector<std::pair<int, int>> chosen;  // key and place in the group
  for (int i = 0; i < group.size(); ++i)
    if (const Wish& wish = wishes[static_cast<std::size_t>(i)]; wish.color == color)
      chosen.emplace_back(wish.key, i);
  std::sort(chosen.begin(), chosen.end());
  std::vector<int> members;
  for (const auto& [key, i] : chosen) members.push_back(group[i]);
  return rank::Members(std::move(members));
}

std::optional<Communicator> split(rank::Rank& rank, const Communicator& comm, Wish wish) {
  const std::vector<Wish> wishes = all_wishes(rank, comm, wish);
  const match::Context context = agree_on_context(rank, comm);
  if (wish.color == MPI_UNDEFINED) return std::nullopt;
  const rank::Members members = those_of(wishes, wish.color, comm.group);
  return Communicator(context, members, members.find(rank.number()));
}

MPI_Comm stand_in(MPI_Comm parent) {
  MPI_Comm made = MPI_COMM_NULL;
  if (const int code = PMPI_Comm_split(process->communicators.lone(), 0, 0, &made); code != MPI_SUCCESS)
    throw Error{code, "MPICH cannot make another communicator"};
  process->communicators.inherit_handler(parent, made);
  return made;
}

MPI_Comm copied_stand_in(const char* call, MPI_Comm parent, const MPI_Info* info) {
  MPI_Comm made = MPI_COMM_NULL;
  std::optional<ProgramRuns> callbacks;
  if (process->callbacks) callbacks.emplace(call);
  const int code = info ? PMPI_Comm_dup_with_info(parent, *info, &made) : PMPI_Comm_dup(parent, &made);
  if (code != MPI_SUCCESS)
    throw Error{.code = code, .message = "the communicator is not copied", .told = true};
  process->communicators.inherit_handler(parent, made);
  return made;
}

void drop(const char* call, MPI_Comm& stand_in) {
  std::optional<ProgramRuns> callbacks;
  if (process->callbacks) callbacks.emplace(call);
  const int code = PMPI_Comm_free(&stand_in);
  if (code != MPI_SUCCESS)
    throw Error{.code = code, .message = "the communicator is not freed", .told = true};
}

MPI_Comm keep(MPI_Comm parent, std::optional<Communicator> made) {
  if (!made) return MPI_COMM_NULL;
  const MPI_Comm handle = stand_in(parent);
  process->communicators.add(handle, std::move(*made));
  return handle;
}

std::optional<Communicator> first_of(const Communicator& comm, int size, match::Context context) {
  if (comm.rank >= size) return std::nullopt;
  if (size == comm.size()) return Communicator(context, comm.group, comm.rank);
  std::vector<int> members;
  for (int i = 0; i < size; ++i) members.push_back(comm.group[i]);
  return Communicator(context, rank::Members(std::move(members)), comm.rank);
}

}  // namespace emu::mpi::making
