#include "stream.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace emu::goal {
namespace {

constexpr int portion = 16;                   // operations that a rank reads at once
constexpr std::int64_t most_text = 64 << 20;  // bytes of text in memory

}  // namespace

void Streamed::read(std::size_t bytes) {
  since_ += static_cast<std::int64_t>(bytes);
  if (since_ < std::min(memory_, most_text)) return;
  since_ = 0;
  forget_(text_);
}

Stream::Stream(const StreamedBlock& block)
    : survey_(block.survey), text_(*block.text), reader_(text_.text(), text_.origin()) {
  reader_.go_to(survey_.begin, text_.scratch());
}

Stream::~Stream() { text_.take(-static_cast<std::int64_t>(window_.size() * sizeof(Entry))); }

int Stream::take() {
  read_until_certain();
  if (ready_.empty()) return -1;
  std::pop_heap(ready_.begin(), ready_.end(), std::greater<>());
  const int operation = ready_.back();
  ready_.pop_back();
  next_ = std::max(next_, operation + 1);
  return operation;
}

void Stream::started(int operation) {
  entry(operation).state = State::started;
  release(operation, false);
}

void Stream::complete(int operation) {
  entry(operation).state = State::complete;
  ++complete_;
  release(operation, true);
  while (first_ < read_ && entry(first_).state == State::complete) ++first_;
}

bool Stream::alone(int operation) {
  read_until_certain();
  if (!ready_.empty()) return false;
  for (int at = entry(operation).dependents; at >= 0; at = links_[static_cast<std::size_t>(at)].next)
    if (!links_[static_cast<std::size_t>(at)].end) return false;
  return true;
}

// True if no operation that was not admitted may start: each waits for an operation that was not taken.
bool Stream::certain() const {
  if (admitted_ == survey_.operations) return true;
  return admitted_ > survey_.last_free && admitted_ >= next_ + survey_.ahead;
}

void Stream::read_until_certain() {
  while (ready_.empty() && !certain()) read();
}

void Stream::read() {
  Block& block = text_.scratch();
  block.first = read_;
  block.steps.clear();
  const std::size_t before = reader_.place();
  const auto got = reader_.portion(block, portion);
  // The survey has read an equal text.
  if (!got || *got == Portion::irregular) throw Exceeded{text_.origin() + ": changed while it was read"};
  text_.read(reader_.place() - before);
  for (const Step& step : block.steps) {
    if (static_cast<std::size_t>(read_ - first_) == window_.size()) grow();
    entry(read_++) = {packed(step), 0, -1, State::waits};
  }
  for (const Dependency& d : block.dependencies) depend(d);
  const int known = *got == Portion::last ? read_ : read_ - survey_.reach - 1;
  while (admitted_ < known) {
    if (entry(admitted_).missing == 0) admit(admitted_);
    ++admitted_;
  }
}

void Stream::grow() {
  const std::size_t size = std::max<std::size_t>(2 * window_.size(), 4 * portion);
  if (!text_.take(static_cast<std::int64_t>((size - window_.size()) * sizeof(Entry))))
    throw Exceeded{text_.origin() + ": rank " + std::to_string(survey_.begin.rank) + " has " +
                   std::to_string(read_ - first_) +
                   " operations in progress or waiting, and all ranks together more than " +
                   std::to_string(text_.memory() >> 20) + " MiB of them (expected a larger --memory)"};
  std::vector<Entry> before(size);
  before.swap(window_);
  const std::size_t mask = std::exchange(mask_, size - 1);
  for (int i = first_; i < read_; ++i) entry(i) = before[static_cast<std::size_t>(i) & mask];
}

void Stream::depend(const Dependency& d) {
  if (d.on < first_) return;
  Entry& on = entry(d.on);
  if (on.state == State::complete || (!d.complete && on.state == State::started)) return;
  int link = spare_;
  if (link >= 0) {
    spare_ = links_[static_cast<std::size_t>(link)].next;
  } else {
    link = static_cast<int>(links_.size());
    links_.emplace_back();
  }
  links_[static_cast<std::size_t>(link)] = {d.of, on.dependents, d.complete};
  on.dependents = link;
  ++entry(d.of).missing;
}

void Stream::release(int operation, bool end) {
  int* at = &entry(operation).dependents;
  while (*at >= 0) {
    const int number = *at;
    Link& link = links_[static_cast<std::size_t>(number)];
    if (link.end != end) {
      at = &link.next;
      continue;
    }
    *at = link.next;
    link.next = std::exchange(spare_, number);
    if (--entry(link.of).missing == 0 && link.of < admitted_) admit(link.of);
  }
}

void Stream::admit(int operation) {
  ready_.push_back(operation);
  std::push_heap(ready_.begin(), ready_.end(), std::greater<>());
}

}  // namespace emu::goal
