// Polling loops. A program that tests or probes in a loop would cost one exchange with all other ranks per answer.
// Each false answer costs one poll of virtual time, or a share of the row's time if that is longer
// (network.poll.growth). Polls are fast because the rank knows for how long nothing can change: as long as nothing can
// have changed since the last answer to an equal question, the answer is a comparison.
//
// A rank that polls waits: the event that ends a polling loop determines the instant of its end (rank/semantics.md,
// "The cause of an instant"). So a rank remembers which questions it has asked.
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

// Question of a call: a message that a probe would find, or the completion of requests.
struct Question {
  const match::Filter* probe = nullptr;  // or:
  std::span<Request* const> requests;
  bool together = false;  // the requests count only when all of them can complete
};

class Polling {
 public:
  // --- answers that are known in advance
  // True if the answer to `question` is known to be false at `now`.
  [[gnu::hot]] bool known_false(const Question& question, Instant now) const {
    return quiet_ && now <= until_ && same(question);
  }
  // The answer is false up to `until`, as long as this rank only polls and computes.
  void learn(const Question& question, Instant until) {
    quiet_ = true;
    until_ = until;
    probes_ = question.probe != nullptr;
    if (probes_) probe_ = *question.probe;
    requests_.assign(question.requests.begin(), question.requests.end());
    together_ = question.together;
  }
  // To be called when the rank does anything else.
  void interrupted() {
    quiet_ = looking_ = false;
    failed_ = 0;
  }
  // Counts a false answer for which other ranks had to be asked. Returns true if it is worth asking further ahead; it
  // is not for a program that tests once between messages.
  bool failed() { return ++failed_ > 1; }

  // --- questions since the rank began to do nothing but poll, read clocks and sleep
  // Records that the answer to `question` at the clock is false.
  void looked(const Question& question, const clock::Clock& clock);
  bool looking() const { return looking_; }
  // The program has computed for longer than `poll`, which is the cost of a poll.
  void worked(Interval work, Interval poll) {
    looking_ = false;
    if (work > poll.times(most_idle_work)) idle_since_ = Instant::never();
  }
  // The time at `now` since the first of the false answers in a row: nothing lies between them but readings of the
  // clock, and work of at most `most_idle_work` polls at a time. A loop that only polls has such work if it is measured.
  Interval row(Instant now) const { return idle_since_.is_never() ? Interval() : now - idle_since_; }
  // The answer at `now` is false: a row begins, if none has begun.
  void begin_row(Instant now) {
    if (idle_since_.is_never()) idle_since_ = now;
  }
  // The instant of the first such question; never: there was none. The last function is for any question.
  Instant looked_for(const Request& request) const;
  Instant looked_for(const match::Filter& probe) const;
  Instant looked() const { return looking_ ? polls_.began : Instant::never(); }
  // The polling for an event that was first looked for at `look`, as the clock needs it.
  clock::Clock::Polling since(Instant look, Interval cost) const {
    return {look, polls_.began, polls_.slept, polls_.down, cost};
  }

  // --- when the rank publishes its clock
  // To be called when a call begins.
  void begin() {
    if (!answered_) {
      in_a_row_ = 0;
      idle_since_ = Instant::never();
    }
    answered_ = false;
  }
  // The call has only given a false answer or read a clock.
  void answered() {
    answered_ = true;
    ++in_a_row_;
  }
  // The program has computed: real time passes between its calls.
  void computed() { in_a_row_ = 0; }
  // True if the clock is not published after this call. In a loop of false answers the rank publishes its clock only
  // now and then, and when it has to wait. Otherwise another rank could be woken by each single poll, advance no
  // further than that poll, and have to be woken again for the next one.
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
  // The index of the probe in looked_, or looked_.size().
  std::size_t place(const match::Filter& probe) const;

  static constexpr std::int64_t patience = 4, most_untold = 64;
  static constexpr std::size_t most_probes = 4096;     // further ones are not remembered
  static constexpr std::int64_t most_idle_work = 100;  // polls

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
  Instant idle_since_ = Instant::never();
  clock::Clock::Polling polls_;
  std::vector<Probe> looked_;
  mutable std::size_t expected_ = 0;  // index of the next one, if the program repeats a sequence of probes
};

}  // namespace emu::rank
