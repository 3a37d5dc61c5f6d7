// The rendezvous protocol: a message that is too long to be sent eagerly, or a synchronous one, travels as
// request, answer and data. rank/semantics.md, "Starting" and E1 and E2 of "Events".
//
// Its events are handled by every call that waits or tests, whoever the handshake belongs to. The third message,
// the data, completes a receive (E3) as an eager one does: rank/point_to_point.h.
#pragma once

#include <memory_resource>
#include <set>
#include <vector>

#include "rank/core.h"
#include "rank/egress.h"
#include "rank/requests.h"

namespace emu::rank {

class Rendezvous final : public Protocol {
 public:
  // All outlive it.
  Rendezvous(Core& core, Egress& egress, RequestPool& pool) : core_(core), egress_(egress), pool_(pool) {}

  // --- as the sender. `to`: in MPI_COMM_WORLD.
  // The request leaves. The send is complete when its answer has been handled; in mode buffered the data are
  // copied, so that the caller need not wait.
  Request* start(const match::Envelope& envelope, int to, int source_in_comm, const Buffer& data, Mode mode);
  // An answer is here.
  [[gnu::noinline]] void take_answer(match::Message* answer);

  // --- as the receiver
  // `receive` has matched a request: it is to be answered.
  void take_request(Request* receive);
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
  [[gnu::noinline]] void send_data(Request* send);

  Core& core_;
  Egress& egress_;
  RequestPool& pool_;
  std::pmr::unsynchronized_pool_resource nodes_;
  std::pmr::set<Request*> requested_{&nodes_};            // sends whose answer is still to come
  std::pmr::set<Request*, ByAnswer> answers_{&nodes_};    // sends whose answer is here (E2)
  std::pmr::set<Request*, ByRequest> requests_{&nodes_};  // receives that matched a request (E1)
};

}  // namespace emu::rank
