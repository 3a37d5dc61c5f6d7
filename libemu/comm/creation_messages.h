// Creation of communicators: agreement among the members by messages of the target, as MPICH 4.0.2 sends them.
#pragma once

#include <mpi.h>

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "comm/communicator.h"
#include "model/intercollectives.h"
#include "mpi/entry.h"
#include "rank/rank.h"

namespace emu::mpi::creation {

// The context of a new communicator, equal on all members: the first member provides it, and an allreduce
// distributes it. (MPICH agrees on a number by a bit mask.) `room`: this member has room for a communicator.
// Throws Error on all members if one has no room, or if the failure of a member broke the agreement.
match::Context agree_on_context(rank::Rank& rank, const rank::Communicator& members, bool room);

// In place of a context if a member has no room, until all members know it. Contexts of agreements are never odd. If a
// failure is silent and a message is lost, the result can contain any other message, but hardly all of these bits.
constexpr match::Context no_room = 0x6e6f'726f'6f6d'0001;
constexpr bool lacks_room(match::Context name) { return (name & no_room) == no_room; }
match::Context agree_on_name(rank::Rank& rank, const rank::Communicator& members, bool room);
// Throws Error if a member has no room.
void check_room(match::Context name);
// The error of the current call.
Error too_many_communicators();

// The agreement in parts, for other ways of carrying it out.
class ContextAgreement {
 public:
  ContextAgreement(const rank::Communicator& members, bool room);
  // For both groups of an intercommunicator: the context of the first group is used.
  ContextAgreement(const Communicator& inter, const model::Sides& sides, bool room);
  ContextAgreement(const ContextAgreement&) = delete;
  const model::Schedule& schedule() const { return schedule_; }
  rank::Memory memory();
  // The result, once the schedule has been carried out. Contains no_room if a member has none.
  match::Context name() const;

 private:
  void suggest(bool first, bool room);

  // MPICH's mask of free context numbers: 64 words, and one more that tells if all members are ready.
  static constexpr model::Reduction mask{65, 4, true, true};
  std::array<std::byte, mask.bytes()> own_{};
  std::array<std::byte, mask.bytes() + sizeof(match::Context)> all_{};  // with the result of the other group
  model::Bytes at_ = 0, other_at_ = 0;                                  // positions of the contexts
  model::Schedule schedule_;
};

// A member's arguments: it joins the members of the same colour, in the order of their keys.
struct SplitArguments {
  int color = MPI_UNDEFINED;
  int key = 0;
};
// All members' arguments, by an allgather.
std::vector<SplitArguments> all_arguments(rank::Rank& rank, const rank::Communicator& comm,
                                          const SplitArguments& own);
// The members of `group` with colour `color`, in the order that their arguments determine.
rank::Members those_of(const std::vector<SplitArguments>& arguments, int color, const rank::Members& group);
// As MPI_Comm_split. Nothing: this rank is in no new communicator.
std::optional<Communicator> split(rank::Rank& rank, const Communicator& comm, SplitArguments own_arguments,
                                  bool room);

// An MPICH handle for a communicator that is being created. MPICH has room for 2,048, and the members have to know
// that all have a handle before one of them gets the communicator.
class StandIn {
 public:
  // `member`: this process will be a member, as far as is known. Other processes need no room.
  explicit StandIn(bool member = true);
  ~StandIn();
  StandIn(const StandIn&) = delete;
  bool room() const { return !member_ || handle_ != MPI_COMM_NULL; }
  MPI_Comm take() { return std::exchange(handle_, MPI_COMM_NULL); }

 private:
  const bool member_;
  MPI_Comm handle_ = MPI_COMM_NULL;
};

// A stand-in that inherits error handler, attributes (their callbacks run), and info; `info`
// replaces the latter, unless null. MPI_COMM_NULL: there is no room. `call`: the current call.
MPI_Comm copied_stand_in(const char* call, MPI_Comm parent, const MPI_Info* info);
// Frees the stand-in.
void drop(const char* call, MPI_Comm& stand_in);

// `made` becomes a communicator of the program. Returns its handle; MPI_COMM_NULL: none was made. It inherits the error
// handler of `parent`, if that has one of its own; null: it inherits nothing, as in MPICH's functions with a group.
MPI_Comm keep(StandIn& stand_in, MPI_Comm parent, std::optional<Communicator> made);

// The first `size` members of `comm`, if this rank is one of them; otherwise nothing.
std::optional<Communicator> first_of(const Communicator& comm, int size, match::Context context);

}  // namespace emu::mpi::creation
