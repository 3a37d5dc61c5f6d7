// Messages without a receive and receives without a message of one rank, by source and tag. All receives name both.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace emu::app::schedules {

template <class Message>
class Mailbox {
 public:
  // Adds a message that was sent. Returns the receive that takes it; -1: the message waits for one.
  int add(Message* message, int source, int tag) {
    Line& line = find(source, tag);
    if (line.receive >= 0) {
      const int place = line.receive;
      Waiting& first = at(place);
      line.receive = std::exchange(first.next, spare_);
      spare_ = place;
      return first.receive;
    }
    message->next = nullptr;
    (line.message ? line.last->next : line.message) = message;
    line.last = message;
    return -1;
  }
  // Posts a receive. Returns the message that it takes; null: the receive waits for one.
  Message* post(int receive, int source, int tag) {
    Line& line = find(source, tag);
    if (Message* const message = line.message) {
      line.message = message->next;
      return message;
    }
    int place = spare_;
    if (place >= 0) {
      spare_ = at(place).next;
    } else {
      place = static_cast<int>(receives_.size());
      receives_.emplace_back();
    }
    at(place) = {receive, -1};
    (line.receive >= 0 ? at(line.last_receive).next : line.receive) = place;
    line.last_receive = place;
    return nullptr;
  }

 private:
  // Waiting messages in send order, or waiting receives in the order of posting: a line never has both.
  struct Line {
    std::uint64_t key = 0;  // 0: this place is free
    Message* message = nullptr;
    Message* last = nullptr;
    int receive = -1;  // in receives_
    int last_receive = -1;

    bool waits() const { return key != 0 && (message || receive >= 0); }
  };

  struct Waiting {
    int receive;
    int next;  // the next one; -1: none
  };
  Waiting& at(int place) { return receives_[static_cast<std::size_t>(place)]; }

  Line& find(int source, int tag) {
    const std::uint64_t key =
        (static_cast<std::uint64_t>(source) << 32 | static_cast<std::uint32_t>(tag)) + 1;
    if (2 * (used_ + 1) > lines_.size()) grow();
    Line& line = place(key);
    if (line.key == 0) {
      line.key = key;
      ++used_;
    }
    return line;
  }
  Line& place(std::uint64_t key) {
    const std::size_t mask = lines_.size() - 1;
    for (std::size_t i = key * 0x9e3779b97f4a7c15u >> 32 & mask;; i = (i + 1) & mask)
      if (lines_[i].key == key || lines_[i].key == 0) return lines_[i];
  }
  // Leaves out empty lines.
  void grow() {
    std::vector<Line> before;
    before.swap(lines_);
    used_ = 0;
    for (const Line& line : before) used_ += line.waits() ? 1 : 0;
    std::size_t size = 4;
    while (size < 4 * (used_ + 1)) size *= 2;
    lines_.resize(size);
    for (const Line& line : before)
      if (line.waits()) place(line.key) = line;
  }

  std::vector<Line> lines_;  // their number is a power of two
  std::size_t used_ = 0;
  std::vector<Waiting> receives_;  // waiting receives, and free places
  int spare_ = -1;                 // a free place
};

}  // namespace emu::app::schedules
