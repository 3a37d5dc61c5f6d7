// The flow of a message in transit, in memory that the transport provides, and its route.
#pragma once

#include <cstdint>
#include <new>
#include <span>
#include <vector>

#include "contention/flow.h"
#include "match/message.h"
#include "model/network.h"

namespace emu::wire {

// The resources that the message passes, in order.
inline void find_route(const model::Network& network, const match::Message& m,
                       std::vector<std::int32_t>& route) {
  route.clear();
  if (m.card)
    route.push_back(model::Resources::bus);
  else
    network.resources().route(m.origin(), m.bound_for, route);
}

// `memory`: Flow::size(route.size()) bytes. `receiver`: as in Flow.
inline contention::Flow& make_flow(void* memory, const match::Message& m, std::span<const std::int32_t> route,
                                   std::int32_t receiver) {
  auto& flow = *new (memory) contention::Flow{};
  flow.head = m.head;
  flow.source = m.arrival.source;
  flow.sequence = m.arrival.sequence;
  flow.bytes = model::Network::on_wire(m.bytes_in_transit) - 1;
  flow.limit = m.gap_per_byte;
  flow.receiver = receiver;
  flow.operation = m.kind == match::Message::Kind::operation;
  flow.bus = m.card;
  if (flow.bus) {
    flow.path = m.path;
    flow.trailing = m.trailing;
  }
  flow.stages = static_cast<std::int32_t>(route.size());
  for (int i = 0; i < flow.stages; ++i)
    (new (flow.stage(i)) contention::Stage{})->resource = route[static_cast<std::size_t>(i)];
  return flow;
}

}  // namespace emu::wire
