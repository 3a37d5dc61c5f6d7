// The records of a trace, as events.
#include <limits>

#include "analysis/trace_reader.h"

namespace emu::analysis {
namespace {

// Upper bound of clocks; a sum of two cannot overflow.
constexpr auto longest_interval = static_cast<std::uint64_t>(Interval::longest().picoseconds());

}  // namespace

bool Reader::interval(Interval& d) {
  std::uint64_t n = 0;
  if (!number(n) || n > longest_interval) return false;
  d = Interval::picoseconds(static_cast<std::int64_t>(n));
  now_ += d;
  return now_ < Instant::never();
}

bool Reader::path_to_finish() {
  std::uint64_t n = 0;
  auto left = static_cast<std::uint64_t>((now_ - Instant::start()).picoseconds());
  for (const record::Cause& cause : record::causes) {
    if (!number(n) || n > left) return false;
    left -= n;
    reached_.*cause.part = Interval::picoseconds(static_cast<std::int64_t>(n));
  }
  if (left > 0) return false;
  for (const auto weight : record::weights)
    if (!real(reached_.*weight)) return false;
  return true;
}

bool Reader::outage() {
  std::uint64_t from = 0, length = 0;
  const auto never = static_cast<std::uint64_t>(Instant::never().picoseconds());
  if (!number(from) || !number(length) || from >= never || length >= never - from || length == 0 ||
      now_ > Instant::start())
    return false;
  const Instant begin = Instant::from_picoseconds(static_cast<std::int64_t>(from));
  if (!outages_.all().empty() && outages_.all().back().until > begin) return false;
  outages_.add(begin, begin + Interval::picoseconds(static_cast<std::int64_t>(length)));
  return true;
}

// Sets the system time that was read before.
bool Reader::system(Event& event) {
  const bool computes = event.kind == Record::enter || event.kind == Record::begin ||
                        event.kind == Record::end || event.kind == Record::finish;
  event.system = system_;
  system_ = Interval();
  return event.system == Interval() ||
         (computes && event.system <= now_ - event.from - outages_.within(event.from, now_));
}

// Removes the outages from the times in which they are recorded.
bool Reader::leave_out_outages(Event& event) const {
  event.outages = &outages_;
  event.now = now_;
  event.down = outages_.within(event.from, now_);
  const bool waits = event.kind == Record::sent || event.kind == Record::received ||
                     event.kind == Record::found || event.kind == Record::waited ||
                     event.kind == Record::operated || event.kind == Record::answered;
  if (waits && event.wait < event.down) return false;
  if (waits) event.wait -= event.down;
  if (event.kind == Record::polled) event.cost -= event.down;
  event.met = waits ? outages_.back(now_, event.cost, event.from) : event.from;
  return true;
}

// Common part of `sent`, `received` and `found`.
bool Reader::message(Event& event) {
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  std::uint64_t flags = 0, peer = 0, tag = 0, bytes = 0;
  record::Envelope& m = event.message;
  if (!interval(event.wait) || !interval(event.cost) || !number(flags) || !number(peer)) return false;
  m.sequence = sent_;
  if (event.kind != Record::sent && !number(m.sequence)) return false;
  if (!number(tag) || !number(bytes) || !number(m.context)) return false;
  const bool other = event.kind != Record::sent && (flags & record::other_flag);
  const std::uint64_t kind = flags & (record::late_flag - 1);
  m.kind = static_cast<record::MessageKind>(kind);
  if (flags > 0xff || kind >= record::message_kinds || peer >= static_cast<std::uint64_t>(header_.ranks) ||
      bytes > most)
    return false;
  m.peer = static_cast<int>(peer);
  const auto decoded = static_cast<std::int64_t>(tag >> 1 ^ (~(tag & 1) + 1));
  if (decoded != static_cast<std::int32_t>(decoded)) return false;
  m.tag = static_cast<int>(decoded);
  m.bytes = static_cast<std::int64_t>(bytes);
  if (event.kind == Record::sent) {
    ++sent_;
    std::uint64_t flight = 0;
    if (!number(flight) || flight > longest_interval) return false;
    event.flight = Interval::picoseconds(static_cast<std::int64_t>(flight));
    event.gap = event.wait > Interval();
    return true;
  }
  event.hop = record::Hop(m.peer, m.sequence);
  return (!other || hop(event.hop)) && ((flags & record::late_flag) == 0 || late(event));
}

// Other end of `operated` and `answered`: rank, in `answered` the operation's number, bytes, context.
bool Reader::other_end(Event& event) {
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  record::Envelope& m = event.message;
  std::uint64_t peer = 0, bytes = 0;
  m.sequence = operated_;
  if (!number(peer) || peer >= static_cast<std::uint64_t>(header_.ranks)) return false;
  if (event.kind == Record::answered && (!number(m.sequence) || m.sequence >= operated_)) return false;
  if (!number(bytes) || bytes > most || !number(m.context)) return false;
  m.peer = static_cast<int>(peer);
  m.bytes = static_cast<std::int64_t>(bytes);
  return true;
}

bool Reader::operation(Event& event) {
  std::uint64_t kind = 0, flight = 0;
  if (!interval(event.wait) || !interval(event.cost) || !number(kind) || kind >= record::operation_kinds ||
      !other_end(event) || !number(flight) || flight > longest_interval)
    return false;
  ++operated_;
  event.message.operation = static_cast<record::OperationKind>(kind);
  event.flight = Interval::picoseconds(static_cast<std::int64_t>(flight));
  event.gap = event.wait > Interval();
  return true;
}

bool Reader::result(Event& event) {
  std::uint64_t flags = 0;
  if (!interval(event.wait) || !number(flags) || (flags & ~(record::other_flag | record::late_flag)) != 0 ||
      !other_end(event))
    return false;
  event.hop = record::Hop(header_.rank, event.message.sequence, true);
  return ((flags & record::other_flag) == 0 || hop(event.hop)) &&
         ((flags & record::late_flag) == 0 || late(event));
}

bool Reader::hop(record::Hop& hop) {
  std::uint64_t from = 0, place = 0;
  if (!number(from) || from >= static_cast<std::uint64_t>(header_.ranks) || !number(place)) return false;
  hop = record::Hop(static_cast<int>(from), place >> 1, (place & 1) != 0);
  return true;
}

bool Reader::late(Event& event) {
  std::uint64_t n = 0;
  if (!number(n) || n > static_cast<std::uint64_t>((now_ - Instant::start()).picoseconds())) return false;
  event.late = Interval::picoseconds(static_cast<std::int64_t>(n));
  return true;
}

bool Reader::waited(Event& event) {
  std::uint64_t what = 0, rank = 0, fails = 0;
  if (!interval(event.wait) || !number(what)) return false;
  const bool polled = (what & record::late_flag) != 0;
  what &= ~std::uint64_t{record::late_flag};
  if (what == static_cast<std::uint64_t>(record::Awaited::message))
    return hop(event.hop) && (!polled || late(event));
  event.gap = what == static_cast<std::uint64_t>(record::Awaited::gap);
  event.own = what == static_cast<std::uint64_t>(record::Awaited::storage) ||
              what == static_cast<std::uint64_t>(record::Awaited::sleep) ||
              what == static_cast<std::uint64_t>(record::Awaited::wire);
  if (event.gap || event.own) return !polled;
  if (what != static_cast<std::uint64_t>(record::Awaited::failure) || !number(rank) || !number(fails) ||
      rank >= static_cast<std::uint64_t>(header_.ranks) ||
      fails > static_cast<std::uint64_t>(now_.picoseconds()))
    return false;
  event.failure = static_cast<int>(rank);
  event.fails = Instant::from_picoseconds(static_cast<std::int64_t>(fails));
  return !polled || late(event);
}

// Reads `enter` and `begin`. Returns the defect; null if there is none.
const char* Reader::named(Event& event) {
  std::uint64_t n = 0;
  Interval elapsed;
  if (!interval(elapsed) || !number(n) || n >= texts_.size()) return "a name";
  event.name = *texts_[n];
  if (event.kind == Record::begin) {
    intervals_.push_back(event.name);
    return nullptr;
  }
  if (in_call_) return "a call inside a call";
  in_call_ = true;
  return nullptr;
}

// Returns the defect; null if there is none.
const char* Reader::finish(Event& event) {
  std::uint64_t n = 0;
  Interval elapsed;
  if (!interval(elapsed) || !number(n) || n != static_cast<std::uint64_t>(now_.picoseconds()))
    return "the intervals do not add up to the finish";
  if (!number(n) || n > 1) return "whether the rank failed";
  event.failed = n == 1;
  if (!path_to_finish()) return "the path to the finish";
  event.path = &reached_;
  return nullptr;
}

// Reads the record of event.kind. Returns the defect; null if there is none.
const char* Reader::contents_of(Event& event) {
  std::uint64_t n = 0;
  Interval elapsed;
  switch (event.kind) {
    case Record::text:
      texts_.push_back(std::make_unique<std::string>());
      if (!text(*texts_.back())) return "a text";
      break;
    case Record::enter:
    case Record::begin:
      return named(event);
    case Record::leave:
      if (!in_call_) return "a call that never began ends";
      in_call_ = false;
      break;
    case Record::sent:
    case Record::received:
    case Record::found:
      if (!message(event)) return "a message";
      break;
    case Record::operated:
      if (!operation(event)) return "an operation";
      break;
    case Record::answered:
      if (!result(event)) return "a result";
      break;
    case Record::polled:
      if (!interval(event.cost) || !number(n) || n > longest_interval) return "polls";
      event.polls = static_cast<std::int64_t>(n);
      break;
    case Record::waited:
      if (!waited(event)) return "waiting";
      break;
    case Record::collective:
      if (!number(event.context)) return "a collective call";
      break;
    case Record::end:
      if (!interval(elapsed) || intervals_.empty()) return "the end of an interval";
      event.name = intervals_.back();
      intervals_.pop_back();
      break;
    case Record::finish:
      return finish(event);
    case Record::closed:
      if (at_ != contents_.size() || file_->peek() != std::istream::traits_type::eof())
        return "something follows its end";
      closed_ = true;
      break;
    case Record::system:
      if (!number(n) || n == 0 || n > longest_interval || system_ > Interval()) return "system time";
      system_ = Interval::picoseconds(static_cast<std::int64_t>(n));
      break;
    case Record::outage:
      if (!outage()) return "an outage";
      break;
    default:
      return "a record of an unknown kind";
  }
  return nullptr;
}

// Reads one record. Returns false if it is not an event.
Result<bool> Reader::parse(Event& event) {
  const std::size_t begin = at_;
  const auto bad = [&](const char* what) {
    at_ = begin;
    return damaged(what);
  };
  event = Event{};
  event.kind = static_cast<Record>(contents_[at_++]);
  event.from = now_;
  if (const char* const wrong = contents_of(event)) return bad(wrong);
  if (event.kind == Record::text || event.kind == Record::system || event.kind == Record::outage)
    return false;
  if (!system(event)) return bad("system time of more than was computed");
  if (!leave_out_outages(event)) return bad("an outage longer than its interval");
  return true;
}

}  // namespace emu::analysis
