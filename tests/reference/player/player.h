// Player of random programs as MPI calls. It is plain MPI: except for declared computations, nothing depends on the library
// under test, and without it the same calls run natively.
#pragma once

#include <mpi.h>

#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "reference/player/helper_thread.h"
#include "reference/program/outcome.h"
#include "reference/program/program.h"

namespace emu::reference {

class Player {
 public:
  // Creates the communicators (all ranks call this). `all`: of all ranks; only the player on MPI_COMM_WORLD has
  // memory for buffered sends. `notices`: errors are returned, and recorded. `works`: the player
  // computes in place of declarations. `in_threads`: two threads play in turn.
  Player(std::FILE* log, MPI_Comm all, bool notices, bool works, bool in_threads);
  // Plays this rank's part. Writes a line for each operation as soon as it is complete.
  void play(const Program& program);
  void finish();  // before MPI_Finalize
  int ranks() const { return ranks_; }
  int wrong() const { return wrong_; }  // number of wrong answers and contents

 private:
  struct Sent {               // data of a message that every rank can know
    int source, destination;  // ranks in the world
    Outgoing out;
    int communicator;
  };
  // The buffers of a collective, and the expected result.
  struct Blocks {
    std::vector<char> in, out, expected;
    const char* what = "";
  };
  struct Pending {
    MPI_Request request = MPI_REQUEST_NULL;
    bool receive = false;
    bool active = false;      // started, but not complete
    bool persistent = false;  // once complete, it is inactive, not null
    bool in_parts = false;    // persistent, but used once
    std::size_t communicator = 0;
    std::vector<char> data;
    std::vector<char> sent;  // of a send and a receive with one request
    // A collective in the background.
    std::optional<Blocks> blocks;
    MPI_Comm copy = MPI_COMM_NULL;
  };

  void index_messages(const Program& program);
  void write(Outcome outcome);
  void play(Operation o);
  void operate(const Operation& o);
  void check(bool right, const char* what);
  std::size_t communicator(const Operation& o) const;
  MPI_Comm comm(const Operation& o) const { return communicators_[communicator(o)]; }
  int source_in_world(std::size_t communicator, int rank) const;
  // True unless the call that returned `code` failed because another rank has failed.
  bool went_well(int code);
  static Error error_of(int code);

  // player_messages.cc
  // The request of the operation that begins: a new one, or a persistent one that is restarted.
  Pending& begin(const Operation& o);
  void send(const Operation& o);
  void start_send(const Operation& o);
  void receive(const Operation& o);
  void receive(const Operation& o, int from, int tag);  // as MPI's numbers
  void start_receive(const Operation& o);
  void receive_found(const Operation& o, MPI_Message& message);
  void send_receive(const Operation& o);
  void start_send_receive(const Operation& o);
  void probe(const Operation& o);
  void start_parts(const Operation& o);
  void receive_parts(const Operation& o);
  void arrived(const Operation& o);
  void cancel(const Operation& o);
  void release(const Operation& o);
  Completion received(const char* data, std::size_t communicator, const MPI_Status& status);

  // player_completion.cc
  void complete(const Operation& o);
  // One call; true if the operation is complete. Appends its completions to the outcome.
  bool complete_once(const Operation& o, std::vector<MPI_Request>& requests);
  void completed(int slot, const MPI_Status& status, Error error);

  // player_failures.cc
  void react(const Operation& o);
  std::int64_t bits(MPI_Group group) const;

  // player_composites.cc
  void composite(const Operation& o, MPI_Comm comm, int rank, int size);
  void make_lasting();
  void make_ring(const Operation& o, MPI_Comm comm, int rank, int size);
  void make_star(const Operation& o, MPI_Comm comm, int rank, int size);
  void make_shortcuts(const Operation& o, MPI_Comm comm, int rank, int size);
  void make_edges(MPI_Comm comm, int rank, int size);
  void make_rows(MPI_Comm comm, int rank, int size);
  void make_bridge(const Operation& o, MPI_Comm comm, int rank, int size);
  void make_parted_bridge(const Operation& o, MPI_Comm comm, int rank, int size);
  void use_parted_bridge(const Operation& o, MPI_Comm bridge, int rank, int size);
  void make_from_group(const Operation& o, MPI_Comm comm, int rank, int size);
  void make_subset(const Operation& o, MPI_Comm comm, int rank, int size);
  void make_from_groups(const Operation& o, int rank, int size);
  void use_bridge(const Operation& o, MPI_Comm bridge, int rank, int size);
  bool cross(const Operation& o, MPI_Comm bridge, bool even, int place, int there);
  void gather_from(const Operation& o, MPI_Comm comm, int rank, const std::vector<int>& sources);

  // player_collectives.cc
  void collective(const Operation& o);
  void run(const Operation& o, MPI_Comm comm, int rank, int size);  // an operation that moves data, and waits
  void start_collective(const Operation& o, MPI_Comm comm, int rank, int size);
  Blocks blocks(const Operation& o, int rank, int size) const;  // of an operation that moves data
  Blocks terms(const Operation& o, int rank, int size) const;
  std::vector<int> other_part() const;
  Operation as_called(Operation o) const;
  std::vector<int> partners(const Operation& o, int size) const;
  static bool has_part(const Operation& o, int rank);
  void end_collective(Pending& p);

  std::FILE* log_;
  const bool works_;
  const MPI_Comm all_;
  std::optional<HelperThread> helper_;
  int rank_ = 0, ranks_ = 0, wrong_ = 0;
  std::vector<MPI_Comm> communicators_;
  std::unique_ptr<char[]> attached_;  // for buffered sends; pages that none of them uses are never touched
  MPI_Group world_;
  const Program* program_ = nullptr;
  std::size_t at_ = 0;                       // index of the current operation
  std::map<int, Sent> sent_;                 // by message number
  std::vector<Pending> pending_;             // by slot
  std::vector<std::vector<char>> released_;  // memory of messages whose requests were freed
  std::vector<MPI_Message> found_;           // by slot: messages of matched probes
  Outcome outcome_;
};

}  // namespace emu::reference
