// Bytes to be sent on one connection, in order. Short pieces are copied; long ones remain where they are.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace emu::wire {

class SendQueue {
 public:
  void copy(std::span<const std::byte> bytes);
  // `bytes` must stay valid and unchanged until `sent` is called, or this object is destroyed.
  void borrow(std::span<const std::byte> bytes, std::function<void()> sent);

  bool empty() const { return first_ == pieces_.size(); }
  // The next bytes, in a few pieces; valid until the next call of another function.
  static constexpr std::size_t most_pieces = 8;
  template <class Buffers>
  void list(Buffers& buffers) const {
    for (std::size_t i = first_; i < pieces_.size() && buffers.size() < most_pieces; ++i) {
      const auto bytes = pieces_[i].bytes().subspan(i == first_ ? offset_ : 0);
      buffers.emplace_back(bytes.data(), bytes.size());
    }
  }
  // The next `bytes` bytes have been sent.
  void sent(std::size_t bytes);

  // Size of the memory that this object holds.
  std::size_t memory() const;

 private:
  // Greatest size of the memory kept for the next copies.
  static constexpr std::size_t most_spare = 64 << 10;

  struct Piece {
    std::vector<std::byte> copied;
    std::span<const std::byte> borrowed;
    std::function<void()> sent;  // only if borrowed

    std::span<const std::byte> bytes() const { return sent ? borrowed : std::span(copied); }
  };
  void end_first();

  std::vector<Piece> pieces_;
  std::size_t first_ = 0;   // the first piece that is not completely sent
  std::size_t offset_ = 0;  // bytes of it that are sent
  std::vector<std::byte> spare_;
};

}  // namespace emu::wire
