// Agents that prove to each other that they know a secret.
#include "wire/agent/handshake.h"

#include <gtest/gtest.h>

#include <set>

namespace emu::wire {
namespace {

constexpr std::uint64_t build = 77;

class HandshakeTest : public testing::Test {
 protected:
  const Secret secret_ = *Secret::draw(), other_ = *Secret::draw();
  const Greeting greeting_ = make_greeting(secret_, build, 3, 1);
  const Greeting challenge_ = make_challenge(secret_, build, greeting_);
  const Mac proof_ = make_proof(secret_, greeting_, challenge_);
};

// Each byte of a value changed, one at a time.
template <class T, class F>
void for_each_change(const T& value, F check) {
  for (std::size_t i = 0; i < sizeof value; ++i) {
    T changed = value;
    reinterpret_cast<unsigned char*>(&changed)[i] ^= 1;
    check(changed, i);
  }
}

TEST_F(HandshakeTest, WhoKnowsTheSecretIsBelieved) {
  EXPECT_TRUE(authentic_greeting(secret_, greeting_));
  EXPECT_TRUE(authentic_challenge(secret_, greeting_, challenge_));
  EXPECT_TRUE(authentic_proof(secret_, greeting_, challenge_, proof_));
  EXPECT_EQ(greeting_.node, 3);
  EXPECT_EQ(greeting_.to, 1);
  EXPECT_EQ(challenge_.node, 1);
  EXPECT_EQ(challenge_.to, 3);
  EXPECT_EQ(challenge_.build, build);
}

TEST_F(HandshakeTest, WhoDoesNotIsNot) {
  EXPECT_FALSE(authentic_greeting(other_, greeting_));
  EXPECT_FALSE(authentic_challenge(other_, greeting_, challenge_));
  EXPECT_FALSE(authentic_proof(other_, greeting_, challenge_, proof_));
  EXPECT_FALSE(authentic_greeting(secret_, Greeting{}));
  EXPECT_FALSE(authentic_proof(secret_, greeting_, challenge_, Mac{}));
}

TEST_F(HandshakeTest, NothingCanBeChanged) {
  for_each_change(greeting_, [&](const Greeting& g, std::size_t i) {
    EXPECT_FALSE(authentic_greeting(secret_, g)) << i;
  });
  for_each_change(challenge_, [&](const Greeting& c, std::size_t i) {
    EXPECT_FALSE(authentic_challenge(secret_, greeting_, c)) << i;
  });
  for_each_change(proof_, [&](const Mac& p, std::size_t i) {
    EXPECT_FALSE(authentic_proof(secret_, greeting_, challenge_, p)) << i;
  });
}

// Recorded messages of one connection prove nothing in another: each connection has its own nonces.
TEST_F(HandshakeTest, ARecordingProvesNothing) {
  const Greeting again = make_greeting(secret_, build, 3, 1);
  EXPECT_NE(again.nonce, greeting_.nonce);
  EXPECT_FALSE(authentic_challenge(secret_, again, challenge_));
  const Greeting challenged_again = make_challenge(secret_, build, greeting_);
  EXPECT_NE(challenged_again.nonce, challenge_.nonce);
  EXPECT_FALSE(authentic_proof(secret_, greeting_, challenged_again, proof_));
}

// The hash of one step is invalid for another step, and an agent's own message sent back to it is invalid.
TEST_F(HandshakeTest, AnEchoProvesNothing) {
  EXPECT_FALSE(authentic_challenge(secret_, greeting_, greeting_));
  EXPECT_FALSE(authentic_proof(secret_, greeting_, challenge_, greeting_.mac));
  EXPECT_FALSE(authentic_proof(secret_, greeting_, challenge_, challenge_.mac));
  EXPECT_FALSE(authentic_greeting(secret_, challenge_));
}

TEST(SecretTest, ItsTextIsTheSame) {
  const Secret secret = *Secret::draw();
  const std::string text = secret.text();
  EXPECT_EQ(text.size(), 64u);
  EXPECT_EQ(text.find_first_not_of("0123456789abcdef"), std::string::npos);
  const auto read = Secret::from(text);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->text(), text);
  EXPECT_EQ(read->hash("step", {}), secret.hash("step", {}));
}

TEST(SecretTest, OtherTextsAreNone) {
  const std::string text = Secret::draw()->text();
  EXPECT_FALSE(Secret::from(""));
  EXPECT_FALSE(Secret::from("-"));
  EXPECT_FALSE(Secret::from(text.substr(1)));
  EXPECT_FALSE(Secret::from(text + "0"));
  EXPECT_FALSE(Secret::from("g" + text.substr(1)));
}

TEST(SecretTest, EachIsAnother) {
  std::set<std::string> texts;
  for (int i = 0; i < 100; ++i) texts.insert(Secret::draw()->text());
  EXPECT_EQ(texts.size(), 100u);
}

}  // namespace
}  // namespace emu::wire
