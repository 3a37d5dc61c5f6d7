// Creation of communicators: what the members agree on travels as messages of the target, as MPICH 4.0.2 sends them.
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

// A name for the traffic of what the members make, the same on all: the first of them gives it, and an allreduce
// brings it. (MPICH agrees on a number by a bit mask.) `room`: this member has what it needs for that. Throws Error on all
// members if one has no room, or if the failure of a member broke it.
match::Context agree_on_context(rank::Rank& rank, const rank::Communicator& members, bool room);

// A name that only some agree on yet, of whom one has no room: no name is odd.
constexpr match::Context no_room = 1;
match::Context agree_on_name(rank::Rank& rank, const rank::Communicator& members, bool room);
// Throws Error if it says so.
void check_room(match::Context name);
// The error of the call that is under way.
Error too_many_communicators();

// The same in parts, for what carries it out otherwise.
class ContextAgreement {
 public:
  ContextAgreement(const rank::Communicator& members, bool room);
  // Of both groups of an intercommunicator: what the first group gives serves.
  ContextAgreement(const Communicator& inter, const model::Sides& sides, bool room);
  ContextAgreement(const ContextAgreement&) = delete;
  const model::Schedule& schedule() const { return schedule_; }
  rank::Memory memory();
  // Once it has been carried out. With no_room, if that holds for some member.
  match::Context name() const;

 private:
  void suggest(bool first, bool room);

  // MPICH's mask of free context numbers: 64 words, and one more that says whether all are ready.
  static constexpr model::Reduction mask{65, 4, true, true};
  std::array<std::byte, mask.bytes()> own_{};
  std::array<std::byte, mask.bytes() + sizeof(match::Context)> all_{};  // and what the other group has
  model::Bytes at_ = 0, other_at_ = 0;                                  // where the names are
  model::Schedule schedule_;
};

// What one member of `comm` wants: to be with those of the same colour, in the order of their keys.
struct SplitArguments {
  int color = MPI_UNDEFINED;
  int key = 0;
};
// All members' arguments, by an allgather.
std::vector<SplitArguments> all_arguments(rank::Rank& rank, const rank::Communicator& comm,
                                          const SplitArguments& own);
// Those who want `color`, in order: of `group`, whose arguments these are.
rank::Members those_of(const std::vector<SplitArguments>& arguments, int color, const rank::Members& group);
// As MPI_Comm_split. Nothing: this rank is in none.
std::optional<Communicator> split(rank::Rank& rank, const Communicator& comm, SplitArguments own_arguments,
                                  bool room);

// A handle of MPICH's for a communicator that is about to be made. MPICH has room for 2,048, and the members have to know
// whether all have it before one of them has the communicator.
class StandIn {
 public:
  // `member`: this process is in it, as far as is known. Who is not needs no room.
  explicit StandIn(bool member = true);
  ~StandIn();
  StandIn(const StandIn&) = delete;
  bool room() const { return !member_ || handle_ != MPI_COMM_NULL; }
  MPI_Comm take() { return std::exchange(handle_, MPI_COMM_NULL); }

 private:
  const bool member_;
  MPI_Comm handle_ = MPI_COMM_NULL;
};

// One that inherits error handler, attributes, whose callbacks run, and info; `info` in place of that, unless it is null.
// MPI_COMM_NULL: there is no room. `call`: at hand.
MPI_Comm copied_stand_in(const char* call, MPI_Comm parent, const MPI_Info* info);
// Takes it back.
void drop(const char* call, MPI_Comm& stand_in);

// `made` is a communicator of the program's from now on, whose handle it returns; MPI_COMM_NULL: none was made. It inherits
// `parent`'s error handler, if that has one of its own; null: not even that, as MPICH has it where a group is given.
MPI_Comm keep(StandIn& stand_in, MPI_Comm parent, std::optional<Communicator> made);

// The first `size` members of `comm`, this rank being one of them; else nothing.
std::optional<Communicator> first_of(const Communicator& comm, int size, match::Context context);

}  // namespace emu::mpi::creation
