// The program's handles and what they stand for.
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

// MPI_Request handles of emulated operations: numbers that MPICH itself never gives out (the two highest bits
// of its handles are not both zero, but for null handles).
class Requests {
 public:
  // What a persistent request does each time that it is started.
  struct Plan {
    std::function<rank::Request*()> start;
    rank::Buffer buffer;
    Plan() = default;
    Plan(const Plan&) = delete;
    ~Plan();  // releases the buffer's datatype
  };
  struct Entry {
    rank::Request* request = nullptr;  // null: persistent, and not under way
    MPI_Comm comm = MPI_COMM_NULL;     // whose error handler is asked
    std::unique_ptr<Plan> plan;        // of a persistent one
    std::unique_ptr<Composite> call;   // of one that stands for several messages, persistent or not
    Entry();
    Entry(Entry&&) noexcept;
    Entry& operator=(Entry&&) noexcept;
    ~Entry();
  };

  MPI_Request add(rank::Request* request, MPI_Comm comm);
  MPI_Request add(rank::Request* request, MPI_Comm comm, std::unique_ptr<Composite> call);
  MPI_Request add(std::unique_ptr<Plan> plan, MPI_Comm comm);
  // `call`: what `plan` starts.
  MPI_Request add(std::unique_ptr<Plan> plan, MPI_Comm comm, std::unique_ptr<Composite> call);
  // Throws Error for a handle that is none of ours. Null requests give an empty entry.
  const Entry& find(MPI_Request handle) const;
  // The persistent request begins. Throws Error if it is none, or under way.
  void start(MPI_Request handle);
  // The request is complete: what it received is where it belongs. The request may be looked at again.
  void settle(MPI_Request handle);
  // The request is complete: the handle becomes null, and nothing stands for it any more, unless it is persistent.
  void retire(MPI_Request& handle);
  void remove(MPI_Request handle);
  // The request that the handle stands for, if it is under way; null: none. For memory that may never have been set.
  rank::Request* under_way(MPI_Request handle) const {
    if (handle < first_handle) return nullptr;
    const auto index = static_cast<std::size_t>(handle - first_handle);
    return index < entries_.size() ? entries_[index].request : nullptr;
  }

  // The program frees `comm`. True if requests still need its error handler: then the library's goes later, when
  // none does.
  bool keep(MPI_Comm comm);
  // The same for an operation, or a datatype as an operation sees it, if collectives in the background need it.
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
  std::vector<MPI_Comm> kept_;           // freed by the program, in use by requests
  std::vector<MPI_Op> kept_operations_;  // likewise
  std::vector<MPI_Datatype> kept_types_;
};

// MPI_Message handles: what a matched probe has found and no receive has taken yet.
class Messages {
 public:
  struct Entry {
    match::Message* message = nullptr;
    MPI_Comm comm = MPI_COMM_NULL;
  };
  MPI_Message add(match::Message* message, MPI_Comm comm);
  // Throws Error for a handle that is none of ours.
  Entry take(MPI_Message handle);

 private:
  std::vector<Entry> entries_;
  std::vector<int> spare_;
};

class Communicators {
 public:
  // Throws Error for a communicator that is not known.
  Communicator& find(MPI_Comm comm) const;
  // The same, for who needs it beyond its end.
  std::shared_ptr<Communicator> share(MPI_Comm comm) const;
  // MPI_COMM_WORLD and MPI_COMM_SELF, at the start.
  void add_predefined(int number, int size);
  // A name for the traffic of communicators that are about to be made, which no other process gives, nor this one
  // again. The next name, 2 more, is for the same: an intercommunicator's own group.
  match::Context new_context();
  void add(MPI_Comm comm, Communicator made);
  // Which error handler is asked. As in MPICH that of MPI_COMM_WORLD, whatever it is by then, unless the program has given
  // `comm`, or what it was made from, one of its own.
  MPI_Comm handling(MPI_Comm comm) const;
  // The program has given `comm` the handler that MPICH has for it.
  void gave_handler(MPI_Comm comm);
  // `made` has the handler of `parent`, if that has one of its own (null: there is none).
  void inherit_handler(MPI_Comm parent, MPI_Comm made);
  // One of MPICH's of this process alone, without attributes, whose errors are returned: what others are made from.
  MPI_Comm lone();
  void remove(MPI_Comm comm);

 private:
  std::unordered_map<MPI_Comm, std::shared_ptr<Communicator>> known_;
  std::vector<std::shared_ptr<Communicator>> freed_;  // requests may still refer to them
  mutable MPI_Comm last_ = MPI_COMM_WORLD;            // what was found last; always one that is known
  mutable Communicator* last_found_ = nullptr;
  std::uint64_t named_ = 0;  // contexts this process gave out
  MPI_Comm lone_ = MPI_COMM_NULL;
  std::unordered_set<MPI_Comm> with_handler_;  // of their own
};

}  // namespace emu::mpi
