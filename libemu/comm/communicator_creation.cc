// Creation and end of communicators.

#include <mpi.h>

#include <algorithm>
#include <climits>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "comm/creation_messages.h"
#include "comm/groups.h"
#include "comm/intercommunicators.h"
#include "mpi/calls.h"
#include "mpi/convert.h"
#include "mpi/entry.h"
#include "mpi/objects.h"

namespace emu::mpi::calls {

namespace {

void duplicate(Rank& rank, const char* call, MPI_Comm comm, const MPI_Info* info, MPI_Comm* out) {
  const Communicator& c = communicator_of(comm);
  present(out) = MPI_COMM_NULL;  // if a callback fails
  MPI_Comm copy = creation::copied_stand_in(call, comm, info);
  const bool room = copy != MPI_COMM_NULL;
  try {
    objects->communicators.add(
        copy, c.inter() ? creation::duplicate_inter(rank, c, room)
                        : creation::duplicated(c, creation::agree_on_context(rank, c, room)));
  } catch (const Error&) {
    if (room) creation::drop(call, copy);
    throw;
  }
  *out = copy;
}

constexpr const char* resource = "mpi_hw_resource_type";

std::optional<std::string> hint(MPI_Info info, const char* key) {
  char value[MPI_MAX_INFO_VAL + 1];
  int given = 0;
  if (info != MPI_INFO_NULL) PMPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &given);
  return given ? std::optional<std::string>(value) : std::nullopt;
}

// The part of the machine: the target's node, whatever the host is. Nothing: unknown type.
int color_of_type(int type, MPI_Info info) {
  switch (type) {
    case MPI_UNDEFINED:
      return MPI_UNDEFINED;
    case MPI_COMM_TYPE_SHARED:
    case MPI_COMM_TYPE_HW_UNGUIDED:
      return process->self.node;
    case MPI_COMM_TYPE_HW_GUIDED:
      return hint(info, resource) == "mpi_shared_memory" ? process->self.node : MPI_UNDEFINED;
    case MPIX_COMM_TYPE_NEIGHBORHOOD: {
      // All ranks reach the same files; ranks that name different folders get different colours by a hash.
      const std::optional<std::string> folder = hint(info, "nbhd_common_dirname");
      return folder ? static_cast<int>(std::hash<std::string>()(*folder) % INT_MAX) : MPI_UNDEFINED;
    }
    default:
      throw Error{MPI_ERR_ARG, "invalid type of communicator, " + std::to_string(type)};
  }
}

// As MPI_Comm_split, of a communicator of either kind.
std::optional<Communicator> split_either(Rank& rank, const Communicator& c, creation::SplitArguments own,
                                         bool room) {
  return c.inter() ? creation::split_inter(rank, c, own, room) : creation::split(rank, c, own, room);
}

// Of an intercommunicator: the members of both groups, so that both groups get one number.
int number_of_members(const Communicator& c) { return c.inter() ? c.both->size() : c.size(); }

void check_subset(const Members& group, const Communicator& comm) {
  const Members outside = filtered(group, comm.group, false);
  if (outside.size() > 0)
    throw Error{MPI_ERR_GROUP, "rank " + std::to_string(outside[0]) +
                                   " of MPI_COMM_WORLD is in the group, but not in the communicator"};
}

void free_it(const char* call, MPI_Comm* comm) {
  const MPI_Comm handle = present(comm);
  communicator_of(handle);
  if (handle == MPI_COMM_WORLD || handle == MPI_COMM_SELF)
    throw Error{MPI_ERR_COMM, "a predefined communicator cannot be freed"};
  if (!objects->requests.keep(handle)) {
    MPI_Comm stand_in = handle;
    creation::drop(call, stand_in);
  }
  objects->communicators.remove(handle);
  *comm = MPI_COMM_NULL;
}

}  // namespace

void comm_dup(Rank& rank, MPI_Comm comm, MPI_Comm* out) {
  duplicate(rank, "MPI_Comm_dup", comm, nullptr, out);
}

void comm_dup_with_info(Rank& rank, MPI_Comm comm, MPI_Info info, MPI_Comm* out) {
  duplicate(rank, "MPI_Comm_dup_with_info", comm, &info, out);
}

void comm_create(Rank& rank, MPI_Comm comm, MPI_Group group, MPI_Comm* out) {
  const Communicator& c = communicator_of(comm);
  present(out) = MPI_COMM_NULL;
  const Members members = objects->groups.find(group);
  const int own = members.find(rank.number());
  check_subset(members, c);
  creation::StandIn stand_in(own >= 0);
  std::optional<Communicator> made;
  if (c.inter()) {
    made = creation::create_inter(rank, c, members, stand_in.room());
  } else {
    const auto context = creation::agree_on_context(rank, c, stand_in.room());
    if (own >= 0) made.emplace(context, members, own);
  }
  *out = creation::keep(stand_in, MPI_COMM_NULL, std::move(made));
}

// Only the group's members take part.
void comm_create_group(Rank& rank, MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* out) {
  const Communicator& c = creation::intra(comm);
  present(out);
  const Members members = objects->groups.find(group);
  const int own = members.find(rank.number());
  if (tag < 0 || tag > process->self.largest_tag)
    throw Error{MPI_ERR_TAG, "invalid tag " + std::to_string(tag)};
  check_subset(members, c);
  *out = MPI_COMM_NULL;
  if (own < 0) return;
  Communicator those(c.context, members, own);
  those.round = INT_MIN + 1 + tag;
  creation::StandIn stand_in;
  Communicator made(creation::agree_on_context(rank, those, stand_in.room()), members, own);
  *out = creation::keep(stand_in, MPI_COMM_NULL, std::move(made));
}

void comm_split(Rank& rank, MPI_Comm comm, int color, int key, MPI_Comm* out) {
  const Communicator& c = communicator_of(comm);
  const creation::SplitArguments own_arguments{color, key};
  present(out) = MPI_COMM_NULL;  // in all error cases, as in MPICH
  creation::StandIn stand_in(color != MPI_UNDEFINED);
  *out = creation::keep(stand_in, comm, split_either(rank, c, own_arguments, stand_in.room()));
}

// As in MPICH, a first split separates the members with undefined type.
void comm_split_type(Rank& rank, MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* out) {
  const Communicator& c = communicator_of(comm);
  present(out);
  const int color = color_of_type(type, info);
  creation::StandIn stand_in(type != MPI_UNDEFINED);
  std::optional<Communicator> made =
      split_either(rank, c, {type == MPI_UNDEFINED ? type : 0, key}, stand_in.room());
  if (made) {
    const int all = number_of_members(*made);
    made = split_either(rank, *made, {color, key}, true);
    const bool part = made && number_of_members(*made) < all;
    // A part of the machine is less than all members; neighbours are all members that ask, or none.
    if ((type == MPI_COMM_TYPE_HW_UNGUIDED && !part) || (type == MPIX_COMM_TYPE_NEIGHBORHOOD && part))
      made.reset();
    if (made && type == MPI_COMM_TYPE_HW_UNGUIDED && info != MPI_INFO_NULL)
      PMPI_Info_set(info, resource, "mpi_shared_memory");
  }
  *out = creation::keep(stand_in, comm, std::move(made));
}

void comm_free(Rank&, MPI_Comm* comm) { free_it("MPI_Comm_free", comm); }

// The members are processes of one job, so nothing has to be disconnected.
void comm_disconnect(Rank&, MPI_Comm* comm) { free_it("MPI_Comm_disconnect", comm); }

}  // namespace emu::mpi::calls

using emu::mpi::answer;
using emu::mpi::emulated;
using emu::mpi::objects;
using emu::mpi::process;

// --- error handlers are MPICH's; Communicators::handling decides whose is called

namespace {

// `code`: the result of MPICH.
int handler_given(const char* call, MPI_Comm comm, int code) {
  if (code != MPI_SUCCESS || !emulated() || emu::mpi::inside()) return code;
  return answer(call, comm, [&] { objects->communicators.gave_handler(comm); });
}

// For a communicator without a handler of its own, MPICH returns MPI_ERRORS_ARE_FATAL.
int handler_found(MPI_Comm comm, MPI_Errhandler* handler, int code) {
  if (code != MPI_SUCCESS || !emulated() || emu::mpi::inside()) return code;
  const emu::mpi::RankLock lock;
  if (objects->communicators.handling(comm) == comm) return code;
  PMPI_Errhandler_free(handler);
  *handler = MPI_ERRORS_ARE_FATAL;
  return code;
}

}  // namespace

extern "C" int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler) {
  return handler_given(__func__, comm, PMPI_Comm_set_errhandler(comm, handler));
}

extern "C" int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler handler) {
  return handler_given(__func__, comm, PMPI_Errhandler_set(comm, handler));
}

extern "C" int MPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler* handler) {
  return handler_found(comm, handler, PMPI_Comm_get_errhandler(comm, handler));
}

extern "C" int MPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler* handler) {
  return handler_found(comm, handler, PMPI_Errhandler_get(comm, handler));
}

// Attributes are MPICH's; their callbacks are the program's, and may call MPI.

extern "C" int MPI_Comm_create_keyval(MPI_Comm_copy_attr_function* copy,
                                      MPI_Comm_delete_attr_function* remove, int* key, void* extra) {
  if (emulated()) process->calls.has_callbacks = true;
  return PMPI_Comm_create_keyval(copy, remove, key, extra);
}

extern "C" int MPI_Type_create_keyval(MPI_Type_copy_attr_function* copy,
                                      MPI_Type_delete_attr_function* remove, int* key, void* extra) {
  if (emulated()) process->calls.has_callbacks = true;
  return PMPI_Type_create_keyval(copy, remove, key, extra);
}

extern "C" int MPI_Keyval_create(MPI_Copy_function* copy, MPI_Delete_function* remove, int* key,
                                 void* extra) {
  if (emulated()) process->calls.has_callbacks = true;
  return PMPI_Keyval_create(copy, remove, key, extra);
}
