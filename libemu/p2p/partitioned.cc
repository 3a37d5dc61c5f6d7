// Entry points of partitioned communication: the program provides a message
// in parts, in any order. The message leaves when the last part is ready.

#include <mpi.h>

#include <memory>
#include <utility>
#include <vector>

#include "mpi/convert.h"
#include "mpi/entry.h"
#include "mpi/objects.h"

using emu::mpi::Entry;
using emu::mpi::objects;
using emu::mpi::present;
using emu::rank::Rank;

namespace emu::mpi {

namespace {

using Plan = Requests::Plan;

// Partitioned sends from one rank to another with one tag match its partitioned receives
// in the order of initialisation, independently of their starts, and never other messages.
rank::Communicator aside(MPI_Comm comm, int peer, int tag, bool sends) {
  Communicator& c = objects->communicators.find(comm);
  rank::Communicator own = c;
  own.series = ++c.partitioned[{peer, tag, sends ? 1 : 0}];
  return own;
}

class Partitioned : public Composite {
 public:
  Partitioned(Rank& rank, MPI_Comm comm, int peer, int tag, bool sends, int partitions)
      : sends(sends),
        partitions(partitions),
        rank_(rank),
        comm_(aside(comm, peer, tag, sends)),
        peer_(peer),
        tag_(tag),
        buffer_() {}

  rank::Request* start(const rank::Buffer& buffer) {
    if (!sends) return rank_.ireceive(comm_, peer_, tag_, buffer);
    buffer_ = buffer;
    ready_.assign(static_cast<std::size_t>(partitions), false);
    left_ = partitions;
    deferred_ = rank_.deferred();
    if (left_ == 0) send();
    return deferred_->request();
  }
  // A part of the data is ready.
  void ready(int partition) {
    if (partition < 0 || partition >= partitions)
      throw Error{MPI_ERR_OTHER,
                  "invalid partition " + std::to_string(partition) + " of " + std::to_string(partitions)};
    if (ready_[static_cast<std::size_t>(partition)])
      throw Error{MPI_ERR_ARG, "partition " + std::to_string(partition) + " is ready already"};
    ready_[static_cast<std::size_t>(partition)] = true;
    if (--left_ == 0) send();
  }

  const bool sends;
  const int partitions;

 private:
  void send() { deferred_->begin(rank_.isend(comm_, peer_, tag_, buffer_)); }

  Rank& rank_;
  const rank::Communicator comm_;
  const int peer_, tag_;
  rank::Buffer buffer_;
  std::vector<bool> ready_;  // since the last start
  int left_ = 0;
  std::unique_ptr<rank::Deferred> deferred_;
};

MPI_Request make(Rank& rank, const void* buf, int partitions, MPI_Count count, MPI_Datatype type, int peer,
                 int tag, MPI_Comm comm, bool sends) {
  if (partitions < 0)
    throw Error{MPI_ERR_ARG, "negative number of partitions, " + std::to_string(partitions)};
  sending(comm, peer, tag);  // checks that neither source nor tag is a wildcard
  auto plan = std::make_unique<Plan>();
  plan->buffer = buffer_of(buf, count < 0 ? count : count * partitions, type);
  keep_type(plan->buffer);
  auto call = std::make_unique<Partitioned>(rank, comm, peer, tag, sends, partitions);
  plan->start = [plan = plan.get(), call = call.get()] { return call->start(borrowed(plan->buffer)); };
  return objects->requests.add(std::move(plan), comm, std::move(call));
}

// A partitioned request that has been started.
Partitioned& partitioned_of(MPI_Request request, bool sends) {
  const auto& entry = objects->requests.find(request);
  auto* const call = dynamic_cast<Partitioned*>(entry.call.get());
  if (!call || call->sends != sends || !entry.request)
    throw Error{MPI_ERR_REQUEST,
                sends ? "the request is not an active partitioned send"
                      : "the request is not an active partitioned receive",
                entry.comm};
  return *call;
}

}  // namespace

}  // namespace emu::mpi

extern "C" int MPI_Psend_init(const void* buf, int partitions, MPI_Count count, MPI_Datatype type, int dest,
                              int tag, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Psend_init(buf, partitions, count, type, dest, tag, comm, info, request);
  return entry.run(comm, [&](Rank& rank) {
    present(request) = emu::mpi::make(rank, buf, partitions, count, type, dest, tag, comm, true);
  });
}

extern "C" int MPI_Precv_init(void* buf, int partitions, MPI_Count count, MPI_Datatype type, int source,
                              int tag, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Precv_init(buf, partitions, count, type, source, tag, comm, info, request);
  return entry.run(comm, [&](Rank& rank) {
    present(request) = emu::mpi::make(rank, buf, partitions, count, type, source, tag, comm, false);
  });
}

extern "C" int MPI_Pready(int partition, MPI_Request request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Pready(partition, request);
  return entry.run(MPI_COMM_WORLD, [&](Rank&) { emu::mpi::partitioned_of(request, true).ready(partition); });
}

extern "C" int MPI_Pready_range(int low, int high, MPI_Request request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Pready_range(low, high, request);
  return entry.run(MPI_COMM_WORLD, [&](Rank&) {
    auto& send = emu::mpi::partitioned_of(request, true);
    if (low > high) throw emu::mpi::Error{MPI_ERR_OTHER, "the first partition is behind the last"};
    for (int i = low; i <= high; ++i) send.ready(i);
  });
}

extern "C" int MPI_Pready_list(int length, int partitions[], MPI_Request request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Pready_list(length, partitions, request);
  return entry.run(MPI_COMM_WORLD, [&](Rank&) {
    auto& send = emu::mpi::partitioned_of(request, true);
    if (length < 0) throw emu::mpi::Error{MPI_ERR_ARG, "negative length " + std::to_string(length)};
    for (int i = 0; i < length; ++i) send.ready(partitions[i]);
  });
}

// All parts arrive together, in one message.
extern "C" int MPI_Parrived(MPI_Request request, int partition, int* flag) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Parrived(request, partition, flag);
  return entry.run(MPI_COMM_WORLD, [&](Rank& rank) {
    const auto& receive = emu::mpi::partitioned_of(request, false);
    if (partition < 0 || partition >= receive.partitions)
      throw emu::mpi::Error{MPI_ERR_OTHER, "invalid partition " + std::to_string(partition)};
    emu::rank::Request* const r = objects->requests.find(request).request;
    int index;
    present(flag) = rank.test_any({&r, 1}, index) ? 1 : 0;
  });
}
