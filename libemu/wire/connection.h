// One end of a stream of frames between two agents. Never blocks.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "wire/frame.h"

namespace emu::wire {

class Connection {
 public:
  // A connected stream socket.
  explicit Connection(int fd);
  Connection(Connection&& other) noexcept;
  Connection& operator=(Connection&&) = delete;
  ~Connection();

  int fd() const { return fd_; }

  // --- out
  // To be followed by put()s of `head.bytes` bytes in all.
  void begin(const FrameHead& head) { put({reinterpret_cast<const std::byte*>(&head), sizeof head}); }
  void put(std::span<const std::byte> bytes) { out_.insert(out_.end(), bytes.begin(), bytes.end()); }
  // Gives the system as much as it takes. False: the other end is gone.
  bool flush();
  bool pending() const { return sent_ < out_.size(); }
  // Nothing more is put in: the other end sees the end of the stream after what is still pending.
  void finish_writing() { finished_ = true; }

  // --- in
  // Calls `take` with every frame that has come in completely. False: the other end is gone.
  using Take = std::function<void(const FrameHead& head, const std::byte* bytes)>;
  bool read(const Take& take);

  // Why the other end is gone.
  const std::string& reason() const { return reason_; }

 private:
  bool gone(const char* what);

  int fd_;
  std::vector<std::byte> out_, in_;
  std::size_t sent_ = 0;      // of out_
  std::size_t received_ = 0;  // of in_
  bool finished_ = false;
  std::string reason_;
};

}  // namespace emu::wire
