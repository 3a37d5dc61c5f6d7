// Mutual authentication of two agents by the secret of their job.
//
// Node 0 draws the secret. The process manager hands it to the other nodes; it never passes between agents. The agent
// that calls sends a greeting, the agent that is called a challenge, and the caller a proof:
//
//   greeting   build, nodes, nonce of the caller, H(greeting; build, nodes, nonce)
//   challenge  build, nodes, nonce of the called agent, H(challenge; build, nodes, both nonces)
//   proof      H(proof; both nonces)
//
// H is BLAKE2b with the secret as its key (RFC 7693), over the name of the step and the fields. A stranger gets
// no answer, because its greeting does not have the right hash. A recorded challenge fails because the caller's
// nonce is new in each call; a recorded proof fails because the called agent's nonce is new. The frames after the
// handshake are neither encrypted nor authenticated: the network must be one that no outsider can read or write.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/failure.h"

namespace emu::wire {

using Nonce = std::array<std::byte, 32>;
using Mac = std::array<std::byte, 32>;  // H of the comment above

// Key of one job.
class Secret {
 public:
  // Drawn by the system. Fails if libsodium cannot be used.
  static Result<Secret> draw();
  // Reads 64 hexadecimal digits, as text() returns them; nothing for any other text.
  static std::optional<Secret> from(std::string_view text);
  std::string text() const;

  // H of the step's name and of `fields`, concatenated.
  Mac hash(std::string_view step, std::initializer_list<std::span<const std::byte>> fields) const;

 private:
  std::array<unsigned char, 32> key_{};
};

// Greeting or challenge, which have equal fields.
struct Greeting {
  std::uint64_t build = 0;  // equal in all processes of a job: frame layout, protocol version
  std::int32_t node = 0;    // of the sender
  std::int32_t to = 0;      // of the receiver, as the sender believes
  Nonce nonce{};
  Mac mac{};
};
static_assert(sizeof(Greeting) == 16 + sizeof(Nonce) + sizeof(Mac));

// Each has a new nonce.
Greeting make_greeting(const Secret& secret, std::uint64_t build, int node, int to);
Greeting make_challenge(const Secret& secret, std::uint64_t build, const Greeting& greeting);
Mac make_proof(const Secret& secret, const Greeting& greeting, const Greeting& challenge);

// True if made with this secret; challenge and proof also for this greeting. Build and nodes are not checked.
bool authentic_greeting(const Secret& secret, const Greeting& greeting);
bool authentic_challenge(const Secret& secret, const Greeting& greeting, const Greeting& challenge);
bool authentic_proof(const Secret& secret, const Greeting& greeting, const Greeting& challenge,
                     const Mac& proof);

}  // namespace emu::wire
