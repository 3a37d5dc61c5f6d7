// The order in which the operations of a rank may start. apps/goal/player.h has the rules.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "part.h"
#include "stream.h"

namespace emu::goal {

class Order {
 public:
  // `part` outlives the object.
  explicit Order(const Part& part) : part_(&part), chain_(part.chain()) {
    if (chain_) return;
    if (part.streamed()) {
      stream_ = std::make_unique<Stream>(*part.streamed());
      return;
    }
    missing_ = part.missing();
    for (int i = 0; i < part.size(); ++i)
      if (missing_[static_cast<std::size_t>(i)] == 0) ready_.push_back(i);  // ascending, so a heap already
  }

  // In a streamed part: an operation that may be taken, or that was taken and is not complete.
  const Operation16& operator[](int operation) const {
    return stream_ ? (*stream_)[operation] : (*part_)[operation];
  }
  // Takes the first operation, in file order, of those that may start; -1: none may.
  int take() {
    if (chain_) return complete_ == started_ && started_ < part_->size() ? started_++ : -1;
    if (stream_) return stream_->take();
    if (ready_.empty()) return -1;
    std::pop_heap(ready_.begin(), ready_.end(), std::greater<>());
    const int operation = ready_.back();
    ready_.pop_back();
    return operation;
  }
  // An operation that was taken has started, or is complete.
  void started(int operation) {
    if (stream_) return stream_->started(operation);
    release(operation, false);
  }
  void complete(int operation) {
    if (stream_) return stream_->complete(operation);
    ++complete_;
    release(operation, true);
  }
  // True if no other operation may start before `operation`, which was taken, completes.
  bool alone(int operation) const {
    if (stream_) return stream_->alone(operation);
    return chain_ || (ready_.empty() && !part_->starts_others(operation));
  }
  bool over() const { return stream_ ? stream_->over() : complete_ == part_->size(); }

 private:
  void release(int operation, bool end) {
    if (chain_) return;
    part_->each_dependent(operation, end, [this](int next) {
      if (--missing_[static_cast<std::size_t>(next)] != 0) return;
      ready_.push_back(next);
      std::push_heap(ready_.begin(), ready_.end(), std::greater<>());
    });
  }

  const Part* part_;
  bool chain_;
  int started_ = 0;  // number of operations started, if the part is a chain
  int complete_ = 0;
  std::vector<std::uint32_t> missing_;  // by operation: number of starts and ends that it still waits for
  std::vector<int> ready_;              // heap of the operations that may start, smallest index first
  std::unique_ptr<Stream> stream_;      // null: the part is in memory
};

}  // namespace emu::goal
