// A send and a receive in the background, under one request.

#include <mpi.h>

#include <memory>
#include <utility>
#include <vector>

#include "mpi/convert.h"
#include "mpi/objects.h"
#include "p2p/p2p.h"

namespace emu::mpi {

using rank::Rank;

namespace {

class ExchangeCall final : public Composite {
 public:
  std::vector<std::byte> copy;  // the data to send, if the receive replaces them
  std::unique_ptr<rank::Exchange> exchange;
};

MPI_Request start(Rank& rank, std::unique_ptr<ExchangeCall> call, const rank::Buffer& data, int to,
                  int send_tag, const rank::Buffer& into, int from, int receive_tag, MPI_Comm comm) {
  sending(comm, to, send_tag);
  const auto& c = receiving(comm, from, receive_tag);
  call->exchange = rank.exchange(c, to, send_tag, data, from, receive_tag, into);
  for (rank::Request* part : call->exchange->parts()) keep_type(*part);
  rank::Request* const request = call->exchange->request();
  return objects->requests.add(request, comm, std::move(call));
}

}  // namespace

MPI_Request isend_receive(Rank& rank, const Elements& data, int to, int send_tag, const Elements& into,
                          int from, int receive_tag, MPI_Comm comm) {
  return start(rank, std::make_unique<ExchangeCall>(), buffer_of(data.address, data.count, data.type), to,
               send_tag, buffer_of(into.address, into.count, into.type), from, receive_tag, comm);
}

MPI_Request isend_receive_replace(Rank& rank, const Elements& data, int to, int send_tag, int from,
                                  int receive_tag, MPI_Comm comm) {
  const rank::Buffer into = buffer_of(data.address, data.count, data.type);
  auto call = std::make_unique<ExchangeCall>();
  call->copy.resize(static_cast<std::size_t>(into.bytes));
  into.read_into(call->copy.data());
  const auto from_copy = rank::Buffer::contiguous(call->copy.data(), into.bytes);
  return start(rank, std::move(call), from_copy, to, send_tag, into, from, receive_tag, comm);
}

}  // namespace emu::mpi
