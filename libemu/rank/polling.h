// Polling loops. A program that asks "is it there?" again and again would cost one exchange with all other
// ranks per answer. Each false answer costs one poll of virtual time and none stands for several; what makes
// them cheap is knowing ahead: as long as nothing can have changed since the last answer to the same question,
// the answer is a comparison.
//
// A rank that polls waits: what ends a loop of polls determines the instant of its end (rank/semantics.md, "What determined an
// instant"). So a rank keeps in mind what it has looked for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/time.h"
#include "clock/clock.h"
#include "match/message.h"

namespace emu::rank {

struct Request;

// What a call asks: for a message that a probe would find, or for the completion of requests.
struct Question {
  const match::Filter* probe = nullptr;  // or:
  std::span<Request* const> requests;
  bool together = false;  // they count only when all of them can complete
};

class Polling {
 public:
  // --- what is known ahead
  // Whether the answer to `question` is known to be false at `now`.
  [[gnu::hot]] bool known_false(const Question& question, Instant now) const {
    return quiet_ && now <= until_ && same(question);
  }
  // It will be, up to `until`, as long as this rank does nothing else than poll and compute.
  void learn(const Question& question, Instant until) {
    quiet_ = true;
    until_ = until;
    probes_ = question.probe != nullptr;
    if (probes_) probe_ = *question.probe;
    requests_.assign(question.requests.begin(), question.requests.end());
    together_ = question.together;
  }
  // The rank does something else.
  void interrupted() {
    quiet_ = looking_ = false;
    failed_ = 0;
  }
  // A false answer for which others had to be asked. True if it is worth asking further ahead: not for a
  // program that asks once between messages.
  bool failed() { return ++failed_ > 1; }

  // --- what the rank has looked for since it began to do nothing but poll, read clocks and sleep
  // The answer to `question` at the clock is false.
  void looked(const Question& question, const clock::Clock& clock);
  bool looking() const { return looking_; }
  // The program works for longer than a poll takes.
  void worked() { looking_ = false; }
  // When it first looked for that; never: it did not. The last is for anything at all.
  Instant looked_for(const Request& request) const;
  Instant looked_for(const match::Filter& probe) const;
  Instant looked() const { return looking_ ? polls_.began : Instant::never(); }
  // As the clock wants to know it of something that was first looked for at `look`.
  clock::Clock::Polling since(Instant look, Interval cost) const {
    return {look, polls_.began, polls_.slept, polls_.down, cost};
  }

  // --- when others are told how far this rank is
  // A call begins.
  void begin() {
    if (!answered_) in_a_row_ = 0;
    answered_ = false;
  }
  // All it does is a false answer, or the reading of a clock.
  void answered() {
    answered_ = true;
    ++in_a_row_;
  }
  // The program has computed: real time passes between its calls.
  void computed() { in_a_row_ = 0; }
  // Whether nobody is told after this call. In a loop of false answers others are told now and then, and when it
  // has to wait: one that is woken as soon as a single poll of this rank lets it go on would come no further than
  // that poll, and would have to be woken for each.
  bool silent() const { return answered_ && in_a_row_ > patience && in_a_row_ % most_untold != 0; }

 private:
  bool same(const Question& question) const {
    if (probes_ != (question.probe != nullptr) || together_ != question.together) return false;
    if (probes_ && !(probe_ == *question.probe)) return false;
    return std::equal(requests_.begin(), requests_.end(), question.requests.begin(), question.requests.end());
  }

  struct Probe {
    match::Filter filter;
    Instant look;
  };
  // The place of the probe in looked_, or behind them.
  std::size_t place(const match::Filter& probe) const;

  static constexpr std::int64_t patience = 4, most_untold = 64;
  static constexpr std::size_t most_probes = 4096;  // more different ones are not kept in mind

  bool quiet_ = false;
  bool probes_ = false;
  bool together_ = false;
  bool answered_ = false;
  std::int64_t in_a_row_ = 0;
  std::int64_t failed_ = 0;
  Instant until_;
  match::Filter probe_{};
  std::vector<Request*> requests_;  // only compared
  bool looking_ = false;
  clock::Clock::Polling polls_;
  std::vector<Probe> looked_;
  mutable std::size_t expected_ = 0;  // the place of the next one, if the program asks in turn
};

}  // namespace emu::rank
