// Entry points of sessions. A session is one of MPICH's of this process alone, which keeps its error handler and info; who
// belongs to its process sets is said here. Their beginning and end are in init.cc.

#include <mpi.h>
#include <strings.h>

#include <functional>
#include <string>
#include <string_view>

#include "mpi/convert.h"
#include "mpi/entry.h"
#include "mpi/groups.h"
#include "mpi/intercommunicators.h"
#include "mpi/making.h"

using emu::mpi::answer;
using emu::mpi::Communicator;
using emu::mpi::emulated;
using emu::mpi::Entry;
using emu::mpi::Error;
using emu::mpi::Members;
using emu::mpi::present;
using emu::mpi::process;
using emu::rank::Rank;
namespace making = emu::mpi::making;

namespace {

Members members_of(const char* name) {
  const char* const given = name ? name : "";
  // In small letters too, as in MPICH.
  if (strcasecmp(given, "mpi://WORLD") == 0) return Members::evenly(0, process->size);
  if (strcasecmp(given, "mpi://SELF") == 0) return Members::evenly(process->number, 1);
  throw Error{MPI_ERR_ARG,
              "there is no process set " + std::string(given) + "; there are mpi://WORLD and mpi://SELF"};
}

// Those of a group, among whom messages are told from others by the program's tag.
Communicator those_of(MPI_Group group, const char* tag) {
  constexpr int tags = 1 << 28, first = -(1 << 29);  // where no others are
  const Members& members = process->groups.find(group);
  const int own = members.find(process->number);
  if (own < 0) throw Error{MPI_ERR_GROUP, "this process is not in the group"};
  Communicator those(process->communicators.find(MPI_COMM_WORLD).context, members, own);
  those.round = first + static_cast<int>(std::hash<std::string_view>()(tag ? tag : "") % tags);
  return those;
}

MPI_Comm keep(Communicator made, MPI_Errhandler handler) {
  const MPI_Comm comm = making::keep(MPI_COMM_NULL, std::move(made));
  if (PMPI_Comm_set_errhandler(comm, handler) == MPI_SUCCESS) process->communicators.gave_handler(comm);
  return comm;
}

void create(Rank& rank, MPI_Group group, const char* tag, MPI_Errhandler handler, MPI_Comm* out) {
  present(out);
  const Communicator those = those_of(group, tag);
  const auto context = making::agree_on_context(rank, those);
  *out = keep(Communicator(context, those.group, those.rank), handler);
}

// As MPI_Intercomm_create, whose leaders find each other in MPI_COMM_WORLD.
void create_inter(Rank& rank, MPI_Group group, int leader, MPI_Group others, int remote_leader,
                  const char* tag, MPI_Errhandler handler, MPI_Comm* out) {
  present(out);
  const Communicator those = those_of(group, tag);
  const Members& far = process->groups.find(others);
  if (leader < 0 || leader >= those.size() || remote_leader < 0 || remote_leader >= far.size())
    throw Error{MPI_ERR_ARG, "invalid leader"};
  emu::rank::Communicator world = process->communicators.find(MPI_COMM_WORLD);
  world.context = world.collective();
  world.round = those.round;
  *out = keep(making::create_inter(rank, those, leader, world, far[remote_leader]), handler);
}

}  // namespace

extern "C" int MPI_Session_get_pset_info(MPI_Session session, const char* name, MPI_Info* info) {
  if (!emulated()) return PMPI_Session_get_pset_info(session, name, info);
  return answer(__func__, [&] {
    const std::string size = std::to_string(members_of(name).size());
    PMPI_Info_create(&present(info));
    PMPI_Info_set(*info, "mpi_size", size.c_str());
  });
}

extern "C" int MPI_Group_from_session_pset(MPI_Session session, const char* name, MPI_Group* group) {
  if (!emulated()) return PMPI_Group_from_session_pset(session, name, group);
  return answer(__func__, [&] { present(group) = process->groups.add(members_of(name)); });
}

extern "C" int MPI_Comm_create_from_group(MPI_Group group, const char* tag, MPI_Info info,
                                          MPI_Errhandler handler, MPI_Comm* out) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Comm_create_from_group(group, tag, info, handler, out);
  return entry.run(MPI_COMM_WORLD, [&](Rank& rank) { create(rank, group, tag, handler, out); });
}

extern "C" int MPI_Intercomm_create_from_groups(MPI_Group group, int leader, MPI_Group others,
                                                int remote_leader, const char* tag, MPI_Info info,
                                                MPI_Errhandler handler, MPI_Comm* out) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Intercomm_create_from_groups(group, leader, others, remote_leader, tag, info, handler, out);
  return entry.run(MPI_COMM_WORLD, [&](Rank& rank) {
    create_inter(rank, group, leader, others, remote_leader, tag, handler, out);
  });
}
