#include "rank/protocols/withdrawals.h"

#include <cstring>

namespace emu::rank {

using match::Message;

namespace {

// Identification of a message at its receiver.
struct Sent {
  int source;
  std::uint64_t sequence;
};

}  // namespace

void Withdrawals::begin() {
  core_.withdraws = true;
  egress_.remember_messages();
  windows_.open(Windows::withdrawals, *this);
}

// --- sender

void Withdrawals::ask(Request* request) {
  auto* const send = as<Send>(request);
  if (!possible() || !send || send->cancellation || send->sent == Send::never_sent) return;
  core_.polling.interrupted();
  send->prompt = true;
  if (send->complete()) send->state = Request::State::pending;
  const Sent sent{core_.number, send->sent};
  Windows::Operation operation;
  operation.window = Windows::withdrawals;
  operation.to = send->peer;
  operation.kind = Windows::Kind::withdraw;
  operation.bytes = operation.answers = 1;
  operation.described = std::as_bytes(std::span(&sent, 1));
  send->cancellation = windows_.ask(
      operation, [this, send](const std::byte* answer) { answered(send, *answer != std::byte{}); });
}

void Withdrawals::answered(Send* send, bool withdrawn) {
  send->cancellation = nullptr;
  if (withdrawn) {
    rendezvous_.forget(send);
    send->status = Status{.cancelled = true};
  } else if (send->state == Request::State::requested) {
    return;  // its answer has not been handled
  }
  send->sent = Send::never_sent;
  send->finish();
  if (send->freed) pool_.put_back(send);
}

// --- receiver

void Withdrawals::apply(std::span<const std::byte> operation, std::byte* answer) {
  Sent sent;
  std::memcpy(&sent, operation.data(), sizeof sent);
  Message* const message = queue_.unexpected(sent.source, sent.sequence);
  *answer = message ? std::byte{1} : std::byte{};
  if (!message) return;
  queue_.take(message, [this](match::Queue::Pair pair) { arrivals_.matched(pair); });
  core_.discard(message);
}

}  // namespace emu::rank
