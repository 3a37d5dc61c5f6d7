// The rendezvous protocol: a message that is too long to be sent eagerly travels as request, answer and data. A synchronous one
// that is not too long travels as data and an acknowledgement. rank/semantics.md, "Starting" and E1 and E2 of "Events".
//
// Its events are handled by every call that waits or tests, whoever the handshake belongs to. The third message,
// the data, completes a receive (E3) as an eager one does: rank/protocols/point_to_point.h.
#pragma once

#include <memory_resource>
#include <set>
#include <vector>

#include "match/peers.h"
#include "rank/core.h"
#include "rank/egress.h"
#include "rank/protocols/operations.h"
#include "rank/protocols/requests.h"

namespace emu::rank {

class Rendezvous final : public Protocol {
 public:
  // All outlive it.
  Rendezvous(Core& core, Egress& egress, RequestPool& pool)
      : core_(core), egress_(egress), pool_(pool), awaited_(core.size) {}
  // Once, before all else: what ends receives of synchronous data.
  void end_receives_by(Operations& operations) { operations_ = &operations; }

  // --- as the sender. `to`: in MPI_COMM_WORLD.
  // The request leaves, or synchronous data. The send is complete when its answer has been handled; in mode buffered the
  // data are copied, so that the caller need not wait.
  Request* start(const match::Envelope& envelope, int to, int source_in_comm, const Buffer& data, Mode mode);
  // An answer is here.
  [[gnu::noinline]] void take_answer(match::Message* answer);

  // --- as the receiver
  // `receive` has matched a request, or synchronous data: it is to be answered.
  void take_request(Request* receive);
  // The synchronous data that it has matched have just been received: the acknowledgement leaves.
  [[gnu::noinline]] void acknowledge(Request* receive);
  // Data are here. The receive that they complete; null if it has been given up.
  [[gnu::noinline]] Request* take_data(match::Message* data);

  // The request, which is not complete, takes no more part. What is here of its handshake is released.
  void give_up(Request* request);
  // Nothing is under way that this rank has a part to do in.
  bool idle() const { return requested_.empty() && answers_.empty() && requests_.empty(); }
  // Until when a rank that has finished has to wait for the answers that are still to come: one that fails
  // answers up to then.
  Instant last_answer() const;
  std::vector<Request*> buffered() const;
  // `send` will never be answered, if it has a handshake: its own, or in mode buffered that of its copy, which goes.
  void forget(Request* send);
  // --- E1, E2
  void offer(Event& least) override;
  void add_sources(const Event& next, SourceList& sources) const override;
  [[gnu::hot]] bool waits_only_for(const match::Posted&) const override { return idle(); }
  void handle(const Event& event) override;

 private:
  struct ByAnswer {
    bool operator()(const Request* a, const Request* b) const {
      return a->handshake->turn() < b->handshake->turn();
    }
  };
  struct ByRequest {
    bool operator()(const Request* a, const Request* b) const {
      return a->matched->turn() < b->matched->turn();
    }
  };

  [[gnu::noinline]] void answer(Request* receive);
  void send_answer(const match::Message& request, std::uint64_t receiver_request);
  [[gnu::noinline]] void end_send(Request* send);
  void send_data(const Request& send, std::uint64_t receiver_request);
  // No answer is to come any more.
  void answered(Request* send);

  Core& core_;
  Egress& egress_;
  RequestPool& pool_;
  Operations* operations_ = nullptr;
  std::pmr::unsynchronized_pool_resource nodes_;
  std::pmr::set<Request*> requested_{&nodes_};          // sends whose answer is still to come
  match::Peers awaited_;                                // from whom
  std::pmr::set<Request*, ByAnswer> answers_{&nodes_};  // sends whose answer is here (E2)
  std::pmr::set<Request*, ByRequest> requests_{
      &nodes_};  // receives that matched one that awaits an answer (E1)
};

}  // namespace emu::rank
