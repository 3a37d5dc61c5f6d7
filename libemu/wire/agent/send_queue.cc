#include "wire/agent/send_queue.h"

#include <utility>

namespace emu::wire {

void SendQueue::copy(std::span<const std::byte> bytes) {
  if (empty() || pieces_.back().sent) pieces_.push_back({.copied = std::exchange(spare_, {})});
  std::vector<std::byte>& last = pieces_.back().copied;
  last.insert(last.end(), bytes.begin(), bytes.end());
}

void SendQueue::borrow(std::span<const std::byte> bytes, std::function<void()> sent) {
  pieces_.push_back({.borrowed = bytes, .sent = std::move(sent)});
}

void SendQueue::sent(std::size_t bytes) {
  for (offset_ += bytes; !empty() && offset_ >= pieces_[first_].bytes().size();) {
    offset_ -= pieces_[first_].bytes().size();
    end_first();
  }
}

void SendQueue::end_first() {
  Piece piece = std::move(pieces_[first_]);
  ++first_;
  if (empty()) {
    pieces_.clear();
    first_ = 0;
  }
  if (piece.sent) return piece.sent();
  if (piece.copied.capacity() > most_spare) return;
  spare_ = std::move(piece.copied);
  spare_.clear();
}

std::size_t SendQueue::memory() const {
  std::size_t bytes = spare_.capacity() + pieces_.capacity() * sizeof(Piece);
  for (const Piece& piece : pieces_) bytes += piece.copied.capacity();
  return bytes;
}

}  // namespace emu::wire
