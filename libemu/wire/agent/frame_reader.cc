#include "wire/agent/frame_reader.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

namespace emu::wire {

namespace {

std::string refusal(const FrameHead& head) {
  return "it sent what no agent sends: a frame of kind " +
         std::to_string(static_cast<std::uint32_t>(head.kind)) + " with " + std::to_string(head.bytes) +
         " bytes";
}

}  // namespace

FrameReader::FrameReader(FrameSink& sink, const FrameLimits& limits)
    : sink_(sink), limits_(limits), buffer_(buffer_bytes) {}

std::span<std::byte> FrameReader::room() {
  if (!in_body_) return std::span(buffer_).subspan(held_);
  if (placed_) return {placed_ + body_held_, head_.bytes - body_held_};
  if (own_.size() == body_held_)
    own_.resize(std::min<std::uint64_t>(head_.bytes, std::max(2 * own_.size(), buffer_bytes)));
  return std::span(own_).subspan(body_held_);
}

bool FrameReader::received(std::size_t bytes) {
  if (!in_body_) return received_in_buffer(bytes);
  body_held_ += bytes;
  if (body_held_ == head_.bytes) end_body();
  return true;
}

bool FrameReader::received_in_buffer(std::size_t bytes) {
  held_ += bytes;
  std::size_t at = 0;
  while (held_ - at >= sizeof(FrameHead)) {
    FrameHead head;
    std::memcpy(&head, buffer_.data() + at, sizeof head);
    const auto kind = static_cast<std::size_t>(head.kind);
    if (kind >= limits_.size() || !limits_[kind].allow(head.bytes)) {
      reason_ = refusal(head);
      return false;
    }
    const std::size_t have = held_ - at - sizeof head;
    std::byte* const body = buffer_.data() + at + sizeof head;
    if (have < head.bytes && head.bytes > longest_assembled) {
      begin_body(head, {body, have});
      held_ = 0;
      return true;
    }
    if (have < head.bytes) break;
    at += sizeof head + head.bytes;
    sink_.take(head, body);
  }
  std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(at),
            buffer_.begin() + static_cast<std::ptrdiff_t>(held_), buffer_.begin());
  held_ -= at;
  return true;
}

void FrameReader::begin_body(const FrameHead& head, std::span<const std::byte> first) {
  in_body_ = true;
  head_ = head;
  placed_ = sink_.place(head);
  body_held_ = 0;
  while (!first.empty()) {
    const std::span<std::byte> to = room();
    const std::size_t part = std::min(to.size(), first.size());
    std::memcpy(to.data(), first.data(), part);
    body_held_ += part;
    first = first.subspan(part);
  }
}

void FrameReader::end_body() {
  in_body_ = false;
  std::vector<std::byte> own = std::move(own_);
  own_ = {};
  sink_.take(head_, placed_ ? placed_ : own.data());
}

}  // namespace emu::wire
