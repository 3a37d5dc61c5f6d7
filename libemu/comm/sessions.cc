// Functions of sessions. A session is an MPICH session of this process alone, which keeps error handler
// and info. The members of its process sets are determined here. mpi/init.cc has begin and end of sessions.

#include <mpi.h>
#include <strings.h>

#include <functional>
#include <string>
#include <string_view>

#include "comm/creation_messages.h"
#include "comm/groups.h"
#include "comm/intercommunicators.h"
#include "mpi/calls.h"
#include "mpi/convert.h"
#include "mpi/entry.h"
#include "mpi/objects.h"

namespace emu::mpi::calls {

namespace {

Members members_of(MPI_Session session, const char* name) {
  if (session == MPI_SESSION_NULL) throw Error{MPI_ERR_SESSION, "null session"};
  const char* const given = name ? name : "";
  // Lower case is accepted, as in MPICH.
  if (strcasecmp(given, "mpi://WORLD") == 0) return Members::evenly(0, process->self.size);
  if (strcasecmp(given, "mpi://SELF") == 0) return Members::evenly(process->self.number, 1);
  throw Error{MPI_ERR_ARG,
              "unknown process set: " + std::string(given) + " (expected mpi://WORLD or mpi://SELF)"};
}

// The members of a group, with a context in which the program's tag separates messages.
Communicator those_of(MPI_Group group, const char* tag) {
  constexpr int tags = 1 << 28, first = -(1 << 29);  // a range that no other tag uses
  const Members& members = objects->groups.find(group);
  const int own = members.find(process->self.number);
  if (own < 0) throw Error{MPI_ERR_GROUP, "this process is not in the group"};
  Communicator those(objects->communicators.find(MPI_COMM_WORLD).context, members, own);
  those.round = first + static_cast<int>(std::hash<std::string_view>()(tag ? tag : "") % tags);
  return those;
}

MPI_Comm keep(creation::StandIn& stand_in, Communicator made, MPI_Errhandler handler) {
  const MPI_Comm comm = creation::keep(stand_in, MPI_COMM_NULL, std::move(made));
  if (PMPI_Comm_set_errhandler(comm, handler) == MPI_SUCCESS) objects->communicators.gave_handler(comm);
  return comm;
}

}  // namespace

MPI_Info session_get_pset_info(MPI_Session session, const char* name) {
  const std::string size = std::to_string(members_of(session, name).size());
  MPI_Info info;
  PMPI_Info_create(&info);
  PMPI_Info_set(info, "mpi_size", size.c_str());
  return info;
}

MPI_Group group_from_session_pset(MPI_Session session, const char* name) {
  return objects->groups.add(members_of(session, name));
}

void comm_create_from_group(Rank& rank, MPI_Group group, const char* tag, MPI_Info, MPI_Errhandler handler,
                            MPI_Comm* out) {
  present(out);
  const Communicator those = those_of(group, tag);
  creation::StandIn stand_in;
  const auto context = creation::agree_on_context(rank, those, stand_in.room());
  *out = keep(stand_in, Communicator(context, those.group, those.rank), handler);
}

// As MPI_Intercomm_create; the leaders communicate in MPI_COMM_WORLD.
void intercomm_create_from_groups(Rank& rank, MPI_Group group, int leader, MPI_Group others,
                                  int remote_leader, const char* tag, MPI_Info, MPI_Errhandler handler,
                                  MPI_Comm* out) {
  present(out);
  const Communicator those = those_of(group, tag);
  const Members& far = objects->groups.find(others);
  if (leader < 0 || leader >= those.size() || remote_leader < 0 || remote_leader >= far.size())
    throw Error{MPI_ERR_ARG, "invalid leader"};
  rank::Communicator world = objects->communicators.find(MPI_COMM_WORLD);
  world.context = world.collective();
  world.round = those.round;
  creation::StandIn stand_in;
  Communicator made =
      creation::create_inter(rank, those, leader, {world, far[remote_leader]}, stand_in.room());
  *out = keep(stand_in, std::move(made), handler);
}

}  // namespace emu::mpi::calls
