// The rendezvous protocol of messages that are too long for the eager protocol: request, answer and data; or a request,
// data that the receiver reads, and an acknowledgement. A shorter synchronous message travels as data and an
// acknowledgement. rank/semantics.md, "Starting" and E1 and E2 of "Events".
//
// Every call that waits or tests handles its events, whichever request a handshake belongs to. The third message,
// the data, completes a receive (E3) as an eager message does: rank/protocols/point_to_point.h.
#pragma once

#include <memory_resource>
#include <set>
#include <vector>

#include "match/peers.h"
#include "rank/core.h"
#include "rank/egress.h"
#include "rank/protocols/requests.h"

namespace emu::rank {

class PointToPoint;

class Rendezvous final : public Protocol {
 public:
  // All arguments outlive the object.
  Rendezvous(Core& core, Egress& egress, RequestPool& pool)
      : core_(core), egress_(egress), pool_(pool), awaited_(core.size) {}
  // Called once, before all else. `receives` completes receives of synchronous data.
  void complete_receives_by(PointToPoint& receives) { receives_ = &receives; }

  // --- sender. `to`: a rank in MPI_COMM_WORLD.
  // Sends the request, or synchronous data. The send is complete when its answer has been
  // handled. In mode buffered the data are copied, so that the caller need not wait.
  Send* start(const match::Envelope& envelope, int to, int source_in_comm, const Buffer& data, Mode mode);
  // An answer has arrived.
  [[gnu::noinline]] void take_answer(match::Message* answer);

  // --- receiver
  // `receive` has matched a request, or synchronous data, and has to answer.
  void take_request(Receive* receive);
  // The synchronous `data` of `receive` have just been received: sends the acknowledgement.
  [[gnu::noinline]] void acknowledge(Receive* receive, const match::Message& data);
  // Data that this rank reads are lost, because its node is down.
  void lose_read() { --reads_; }
  // Data are in transit: their receive does not fail any more.
  static void expect_data(const match::Message& data);
  // Data have arrived. Returns the receive that they complete; null if the receive has been given up.
  [[gnu::noinline]] Receive* take_data(match::Message* data);

  // The request, which is incomplete, takes no further part. Releases the messages of its handshake that have arrived.
  void give_up(Send* send);
  void give_up(Receive* receive);
  // True if this rank has no further part in any handshake.
  bool idle() const { return requested_.empty() && settled(); }
  // The instant until which a finished rank has to wait for outstanding answers: a rank that fails sends answers until
  // its failure.
  Instant last_answer() const;
  std::vector<Request*> buffered() const;
  // `send` will never be answered, if it has a handshake: its own, or in mode buffered that of its copy, which is
  // released.
  void forget(Send* send);
  // --- E1, E2
  void offer(Event& least) override;
  void add_sources(const Event& next, SourceList& sources) const override;
  [[gnu::hot]] bool waits_only_for(const match::Posted&) const override { return idle(); }
  void handle(const Event& event) override;
  Interval reaction() const override { return core_.network.least_receive_overhead(); }

 private:
  // No handshake waits for an action of this rank.
  bool settled() const { return answers_.empty() && requests_.empty() && reads_ == 0; }
  struct ByAnswer {
    bool operator()(const Send* a, const Send* b) const { return a->answer->key() < b->answer->key(); }
  };
  struct ByRequest {
    bool operator()(const Receive* a, const Receive* b) const {
      return awaiting(a)->key() < awaiting(b)->key();
    }
  };
  // The message of a receive that awaits an answer.
  static match::Message* awaiting(const Receive* receive) {
    return receive->data ? receive->data : receive->matched;
  }

  [[gnu::noinline]] void answer(Receive* receive);
  void begin_reading(Receive* receive, match::Message* request);
  void send_answer(const match::Message& request, std::uint64_t receiver_request);
  [[gnu::noinline]] void end_send(Send* send);
  void send_data(const Send& send, std::uint64_t receiver_request);
  // No further answer is expected.
  void answered(Send* send);

  Core& core_;
  Egress& egress_;
  RequestPool& pool_;
  PointToPoint* receives_ = nullptr;
  std::pmr::unsynchronized_pool_resource nodes_;
  std::pmr::set<Send*> requested_{&nodes_};          // sends whose answer has not arrived
  match::Peers awaited_;                             // the ranks that have to answer
  std::pmr::set<Send*, ByAnswer> answers_{&nodes_};  // sends whose answer has arrived (E2)
  std::pmr::set<Receive*, ByRequest> requests_{
      &nodes_};    // receives that matched a message that awaits an answer, or have read one (E1)
  int reads_ = 0;  // under way
};

}  // namespace emu::rank
