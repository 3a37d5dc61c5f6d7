// Common parts of the tests of the queues.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "match/queue.h"

namespace emu::match {

class QueueTest : public testing::Test {
 protected:
  // The order of these calls is the send order of the messages of a source.
  Message* message(int source, int tag, std::int64_t arrival) {
    messages_.push_back(std::make_unique<Message>());
    Message* m = messages_.back().get();
    m->envelope = {0, source, tag, 8};
    m->arrival = {Instant::from_picoseconds(arrival), source, sequence_++};
    return m;
  }
  Posted* receive(int source, int tag) {
    receives_.push_back(std::make_unique<Posted>());
    receives_.back()->filter = {0, source, tag};
    return receives_.back().get();
  }
  std::vector<Posted*> bind(Queue::Pair pair) {
    std::vector<Posted*> bound;
    queue_.match_wildcard(pair, [&](Queue::Pair p) { bound.push_back(p.receive); });
    return bound;
  }

  std::vector<std::unique_ptr<Message>> messages_;
  std::vector<std::unique_ptr<Posted>> receives_;
  std::uint64_t sequence_ = 0;
  Queue queue_{3};
};

}  // namespace emu::match
