// The program's handles and the objects behind them.
#pragma once

#include <mpi.h>

#include <functional>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "comm/communicator.h"
#include "p2p/composite.h"
#include "rank/protocols/request.h"

namespace emu::mpi {

// MPI_Request handles of emulated operations: numbers that MPICH itself never uses (the two highest bits
// of its handles are not both zero, except for null handles).
class Requests {
 public:
  // The action of a persistent request at each start.
  struct Plan {
    std::function<rank::Request*()> start;
    rank::Buffer buffer;
    Plan() = default;
    Plan(const Plan&) = delete;
    ~Plan();  // releases the buffer's datatype
  };
  struct Entry {
    rank::Request* request = nullptr;  // null: a persistent request that is not started
    MPI_Comm comm = MPI_COMM_NULL;     // communicator of its error handler
    std::unique_ptr<Plan> plan;        // of a persistent request
    std::unique_ptr<Composite> call;   // of a request for several messages, persistent or not
    Entry();
    Entry(Entry&&) noexcept;
    Entry& operator=(Entry&&) noexcept;
    ~Entry();
  };

  MPI_Request add(rank::Request* request, MPI_Comm comm);
  MPI_Request add(rank::Request* request, MPI_Comm comm, std::unique_ptr<Composite> call);
  MPI_Request add(std::unique_ptr<Plan> plan, MPI_Comm comm);
  // `call`: the operation that `plan` starts.
  MPI_Request add(std::unique_ptr<Plan> plan, MPI_Comm comm, std::unique_ptr<Composite> call);
  // Throws Error for an unknown handle. Null requests have an empty entry.
  const Entry& find(MPI_Request handle) const;
  // Starts the persistent request. Throws Error if it is not persistent, or has been started.
  void start(MPI_Request handle);
  // The request is complete: moves the received data to their place. The program may test the request again.
  void settle(MPI_Request handle);
  // The request is complete: the handle becomes null, and its entry is removed unless it is persistent.
  void retire(MPI_Request& handle);
  void remove(MPI_Request handle);
  // The pending request of the handle; null: none. The handle may come from uninitialised memory.
  rank::Request* under_way(MPI_Request handle) const {
    if (handle < first_handle) return nullptr;
    const auto index = static_cast<std::size_t>(handle - first_handle);
    return index < entries_.size() ? entries_[index].request : nullptr;
  }

  // The program frees `comm`. Returns true if requests still need its
  // error handler: then the library's communicator is freed later.
  bool keep(MPI_Comm comm);
  // As above, for an operation, or a datatype used by one, if collectives in the background need it.
  bool keep_operation(MPI_Op op);
  bool keep_datatype(MPI_Datatype type);

 private:
  static constexpr MPI_Request first_handle = 0x1e000000;
  bool used(MPI_Comm comm) const;
  bool called_with(int handle) const;
  [[gnu::cold]] void let_go();
  Entry& take(MPI_Request& handle);
  std::vector<Entry> entries_;
  std::vector<int> spare_;
  std::vector<MPI_Comm> kept_;           // freed by the program, still used by requests
  std::vector<MPI_Op> kept_operations_;  // freed by the program, still used by requests
  std::vector<MPI_Datatype> kept_types_;
};

// MPI_Message handles: messages that a matched probe has found and no receive has taken yet.
class Messages {
 public:
  struct Entry {
    match::Message* message = nullptr;
    MPI_Comm comm = MPI_COMM_NULL;
  };
  MPI_Message add(match::Message* message, MPI_Comm comm);
  // Throws Error for an unknown handle.
  Entry take(MPI_Message handle);

 private:
  std::vector<Entry> entries_;
  std::vector<int> spare_;
};

class Communicators {
 public:
  // Throws Error for an unknown communicator.
  Communicator& find(MPI_Comm comm) const;
  // As find(), for use beyond the communicator's end.
  std::shared_ptr<Communicator> share(MPI_Comm comm) const;
  // Adds MPI_COMM_WORLD and MPI_COMM_SELF, at the start.
  void add_predefined(int number, int size);
  // A context for new communicators, which no other process uses, nor this one again. The next context, 2 more, belongs
  // to it as well: an intercommunicator's own group uses it.
  match::Context new_context();
  void add(MPI_Comm comm, Communicator made);
  // The communicator whose error handler is called: as in MPICH MPI_COMM_WORLD, with its present
  // handler, unless the program has set one for `comm`, or for the communicator that it was made from.
  MPI_Comm handling(MPI_Comm comm) const;
  // The program has set the handler of `comm`, which MPICH has stored.
  void gave_handler(MPI_Comm comm);
  // `made` inherits the handler of `parent`, if that has one of its own (null: no parent).
  void inherit_handler(MPI_Comm parent, MPI_Comm made);
  // An MPICH communicator of this process alone, without attributes, which returns errors: the origin of new ones.
  MPI_Comm lone();
  void remove(MPI_Comm comm);

 private:
  std::unordered_map<MPI_Comm, std::shared_ptr<Communicator>> known_;
  std::vector<std::shared_ptr<Communicator>> freed_;  // requests may still refer to them
  mutable MPI_Comm last_ = MPI_COMM_WORLD;            // result of the last find(); always a known one
  mutable Communicator* last_found_ = nullptr;
  std::uint64_t named_ = 0;  // number of contexts that this process has used
  MPI_Comm lone_ = MPI_COMM_NULL;
  std::unordered_set<MPI_Comm> with_handler_;  // of their own
};

// Frees the datatype. The program's callbacks for deleted attributes may call MPI. Returns MPICH's error code.
int free_datatype(const char* call, MPI_Datatype& type);

}  // namespace emu::mpi
