#include "comm/creation_messages.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "mpi/convert.h"
#include "mpi/entry.h"
#include "mpi/native.h"
#include "mpi/objects.h"

namespace emu::mpi::creation {

namespace {

using rank::Memory;

void unite(void*, const std::byte* from, std::byte* into, model::Bytes bytes) {
  for (model::Bytes i = 0; i < bytes; ++i) into[i] |= from[i];
}

}  // namespace

ContextAgreement::ContextAgreement(const rank::Communicator& members, bool room)
    : schedule_(model::allreduce(members.rank, members.size(), mask)) {
  suggest(members.rank == 0, room);
}

ContextAgreement::ContextAgreement(const Communicator& inter, const model::Sides& sides, bool room)
    : at_(inter.first ? 0 : mask.bytes()),
      other_at_(mask.bytes() - at_),
      schedule_(model::inter_names(sides, mask, sizeof(match::Context))) {
  suggest(inter.rank == 0, room);
}

void ContextAgreement::suggest(bool first, bool room) {
  const match::Context name = (first ? objects->communicators.new_context() : 0) | (room ? 0 : no_room);
  std::memcpy(own_.data(), &name, sizeof name);
}

Memory ContextAgreement::memory() { return {own_.data(), all_.data(), &unite, nullptr}; }

match::Context ContextAgreement::name() const {
  match::Context name, other;
  std::memcpy(&name, all_.data() + at_, sizeof name);
  std::memcpy(&other, all_.data() + other_at_, sizeof other);
  return name | (other & no_room);
}

match::Context agree_on_name(rank::Rank& rank, const rank::Communicator& members, bool room) {
  ContextAgreement agreement(members, room);
  run(rank, members, agreement.schedule(), agreement.memory());
  return agreement.name();
}

match::Context agree_on_context(rank::Rank& rank, const rank::Communicator& members, bool room) {
  const match::Context name = agree_on_name(rank, members, room);
  check_room(name);
  return name;
}

void check_room(match::Context name) {
  if (lacks_room(name)) throw too_many_communicators();
}

// The error of MPICH, with its text, for the function that the program has called.
Error too_many_communicators() {
  using Create = int(int last, int fatal, const char* function, int line, int error_class,
                     const char* generic, const char* specific, ...);
  static Create* const create = real<Create>("MPIR_Err_create_code");
  const int code = create(MPI_SUCCESS, 0, process->calls.last, 0, MPI_ERR_OTHER, "**toomanycomm", nullptr);
  return {code, "too many communicators at a member (expected at most 2048)"};
}

std::vector<SplitArguments> all_arguments(rank::Rank& rank, const rank::Communicator& comm,
                                          const SplitArguments& own) {
  std::vector<SplitArguments> all(static_cast<std::size_t>(comm.size()));
  run(rank, comm, model::allgather(comm.rank, comm.size(), sizeof own),
      Memory{reinterpret_cast<const std::byte*>(&own), reinterpret_cast<std::byte*>(all.data()), nullptr,
             nullptr});
  return all;
}

rank::Members those_of(const std::vector<SplitArguments>& arguments, int color, const rank::Members& group) {
  std::vector<std::pair<int, int>> chosen;  // key and place in the group
  for (int i = 0; i < group.size(); ++i)
    if (const SplitArguments& own_arguments = arguments[static_cast<std::size_t>(i)];
        own_arguments.color == color)
      chosen.emplace_back(own_arguments.key, i);
  std::sort(chosen.begin(), chosen.end());
  std::vector<int> members;
  for (const auto& [key, i] : chosen) members.push_back(group[i]);
  return rank::Members(std::move(members));
}

std::optional<Communicator> split(rank::Rank& rank, const Communicator& comm, SplitArguments own_arguments,
                                  bool room) {
  const std::vector<SplitArguments> arguments = all_arguments(rank, comm, own_arguments);
  const match::Context context = agree_on_context(rank, comm, room);
  if (own_arguments.color == MPI_UNDEFINED) return std::nullopt;
  const rank::Members members = those_of(arguments, own_arguments.color, comm.group);
  return Communicator(context, members, members.find(rank.number()));
}

StandIn::StandIn(bool member) : member_(member) {
  if (member && PMPI_Comm_split(objects->communicators.lone(), 0, 0, &handle_) != MPI_SUCCESS)
    handle_ = MPI_COMM_NULL;
}

StandIn::~StandIn() {
  if (handle_ != MPI_COMM_NULL) PMPI_Comm_free(&handle_);
}

MPI_Comm copied_stand_in(const char* call, MPI_Comm parent, const MPI_Info* info) {
  if (!StandIn().room())
    return MPI_COMM_NULL;  // MPICH would call the error handler, before the members have agreed
  MPI_Comm made = MPI_COMM_NULL;
  std::optional<ProgramRuns> callbacks;
  if (process->calls.has_callbacks) callbacks.emplace(call);
  const int code = info ? PMPI_Comm_dup_with_info(parent, *info, &made) : PMPI_Comm_dup(parent, &made);
  if (code != MPI_SUCCESS)
    throw Error{.code = code, .message = "the communicator is not copied", .handler_called = true};
  objects->communicators.inherit_handler(parent, made);
  return made;
}

void drop(const char* call, MPI_Comm& stand_in) {
  std::optional<ProgramRuns> callbacks;
  if (process->calls.has_callbacks) callbacks.emplace(call);
  const int code = PMPI_Comm_free(&stand_in);
  if (code != MPI_SUCCESS)
    throw Error{.code = code, .message = "the communicator is not freed", .handler_called = true};
}

MPI_Comm keep(StandIn& stand_in, MPI_Comm parent, std::optional<Communicator> made) {
  if (!made) return MPI_COMM_NULL;
  const MPI_Comm handle = stand_in.take();
  objects->communicators.inherit_handler(parent, handle);
  objects->communicators.add(handle, std::move(*made));
  return handle;
}

std::optional<Communicator> first_of(const Communicator& comm, int size, match::Context context) {
  if (comm.rank >= size) return std::nullopt;
  if (size == comm.size()) return Communicator(context, comm.group, comm.rank);
  std::vector<int> members;
  for (int i = 0; i < size; ++i) members.push_back(comm.group[i]);
  return Communicator(context, rank::Members(std::move(members)), comm.rank);
}

}  // namespace emu::mpi::creation
