#include "wire/agent/handshake.h"

#include <sodium.h>

namespace emu::wire {

namespace {

using Bytes = std::span<const std::byte>;

unsigned char* raw(std::byte* bytes) { return reinterpret_cast<unsigned char*>(bytes); }
const unsigned char* raw(const std::byte* bytes) { return reinterpret_cast<const unsigned char*>(bytes); }

// All fields but the hash.
Bytes fields_of(const Greeting& greeting) {
  return std::as_bytes(std::span(&greeting, 1)).first(offsetof(Greeting, mac));
}

Mac greeting_mac(const Secret& secret, const Greeting& greeting) {
  return secret.hash("greeting", {fields_of(greeting)});
}
Mac challenge_mac(const Secret& secret, const Greeting& greeting, const Greeting& challenge) {
  return secret.hash("challenge", {fields_of(challenge), greeting.nonce});
}

// Takes a time that does not depend on the position of a difference.
bool equal(const Mac& a, const Mac& b) { return sodium_memcmp(a.data(), b.data(), a.size()) == 0; }

Greeting with_nonce(std::uint64_t build, int node, int to) {
  Greeting greeting{.build = build, .node = node, .to = to};
  randombytes_buf(greeting.nonce.data(), greeting.nonce.size());
  return greeting;
}

}  // namespace

Result<Secret> Secret::draw() {
  if (sodium_init() < 0) return fail("cannot draw a secret for the job: libsodium cannot be initialized");
  Secret secret;
  randombytes_buf(secret.key_.data(), secret.key_.size());
  return secret;
}

std::optional<Secret> Secret::from(std::string_view text) {
  Secret secret;
  std::size_t bytes = 0;
  if (text.size() != 2 * secret.key_.size() || sodium_init() < 0) return {};
  if (sodium_hex2bin(secret.key_.data(), secret.key_.size(), text.data(), text.size(), nullptr, &bytes,
                     nullptr) != 0 ||
      bytes != secret.key_.size())
    return {};
  return secret;
}

std::string Secret::text() const {
  std::string text(2 * key_.size() + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), key_.data(), key_.size());
  text.pop_back();
  return text;
}

Mac Secret::hash(std::string_view step, std::initializer_list<Bytes> fields) const {
  Mac mac;
  crypto_generichash_state state;
  crypto_generichash_init(&state, key_.data(), key_.size(), mac.size());
  // No step's name is a prefix of another one: "greeting", "challenge", "proof".
  crypto_generichash_update(&state, raw(std::as_bytes(std::span(step)).data()), step.size());
  for (const Bytes& part : fields) crypto_generichash_update(&state, raw(part.data()), part.size());
  crypto_generichash_final(&state, raw(mac.data()), mac.size());
  return mac;
}

Greeting make_greeting(const Secret& secret, std::uint64_t build, int node, int to) {
  Greeting greeting = with_nonce(build, node, to);
  greeting.mac = greeting_mac(secret, greeting);
  return greeting;
}

Greeting make_challenge(const Secret& secret, std::uint64_t build, const Greeting& greeting) {
  Greeting challenge = with_nonce(build, greeting.to, greeting.node);
  challenge.mac = challenge_mac(secret, greeting, challenge);
  return challenge;
}

Mac make_proof(const Secret& secret, const Greeting& greeting, const Greeting& challenge) {
  return secret.hash("proof", {fields_of(challenge), greeting.nonce});
}

bool authentic_greeting(const Secret& secret, const Greeting& greeting) {
  return equal(greeting.mac, greeting_mac(secret, greeting));
}

bool authentic_challenge(const Secret& secret, const Greeting& greeting, const Greeting& challenge) {
  return equal(challenge.mac, challenge_mac(secret, greeting, challenge));
}

bool authentic_proof(const Secret& secret, const Greeting& greeting, const Greeting& challenge,
                     const Mac& proof) {
  return equal(proof, make_proof(secret, greeting, challenge));
}

}  // namespace emu::wire
