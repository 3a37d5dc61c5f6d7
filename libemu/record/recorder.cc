#include "record/recorder.h"

#include <fcntl.h>
#include <unistd.h>

#include <boost/crc.hpp>
#include <cerrno>
#include <cstring>

#include "record/format.h"
#include "record/write_all.h"

namespace emu::record {
namespace {

constexpr std::size_t full_block = 64 << 10;  // size of a full block, which is written
constexpr std::size_t longest = 256;          // bytes of any record without text
constexpr std::size_t longest_text = 4096;

void store(std::uint8_t* at, std::uint32_t n) {
  for (int i = 0; i < 4; ++i) at[i] = static_cast<std::uint8_t>(n >> (8 * i));
}

std::uint64_t flags(bool other, Late late) {
  return (other ? std::uint64_t{other_flag} : 0) | (late ? std::uint64_t{late_flag} : 0);
}

}  // namespace

std::uint32_t checksum(const std::uint8_t* data, std::size_t size) {
  boost::crc_32_type crc;
  crc.process_bytes(data, size);
  return crc.checksum();
}

Recorder::Recorder(int fd, int rank, std::string path, std::function<void(const std::string&)> on_failure)
    : fd_(fd),
      rank_(rank),
      path_(std::move(path)),
      on_failure_(std::move(on_failure)),
      buffer_(block_header + full_block + longest + longest_text),
      end_(buffer_.data() + block_header) {}

Recorder::~Recorder() {
  if (fd_ >= 0) ::close(fd_);
}

Result<std::unique_ptr<Recorder>> Recorder::create(const std::string& folder, const Header& header,
                                                   std::function<void(const std::string&)> on_failure) {
  const std::string path = file_of(folder, header.rank);
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return fail(path + ": the trace cannot be written: " + std::strerror(errno));
  std::unique_ptr<Recorder> r(new Recorder(fd, header.rank, path, std::move(on_failure)));
  std::uint8_t head[preamble];
  std::memcpy(head, magic.data(), magic.size());
  store(head + magic.size(), version);
  if (const int error = write_all(fd, head, preamble))
    return fail(path + ": the trace cannot be written: " + std::strerror(error));
  r->put(static_cast<std::uint64_t>(header.rank));
  r->put(static_cast<std::uint64_t>(header.ranks));
  r->put(header.target);
  r->put(header.program);
  r->put(static_cast<std::uint64_t>(header.node));
  r->put(header.group);
  r->flush();
  return r;
}

void Recorder::put(const std::string& text) {
  const std::size_t size = std::min(text.size(), longest_text / 2);
  put(static_cast<std::uint64_t>(size));
  std::memcpy(end_, text.data(), size);
  end_ += size;
}

void Recorder::flush() {
  std::uint8_t* const contents = buffer_.data() + block_header;
  const auto size = static_cast<std::size_t>(end_ - contents);
  end_ = contents;
  polls_ = {};
  if (size == 0 || fd_ < 0) return;
  store(buffer_.data(), static_cast<std::uint32_t>(size));
  store(buffer_.data() + 4, checksum(contents, size));
  if (const int error = write_all(fd_, buffer_.data(), block_header + size)) {
    ::close(fd_);
    fd_ = -1;
    on_failure_(path_ + ": the trace cannot be written: " + std::strerror(error) +
                "; it ends at virtual time " + std::to_string(last_.seconds()) + " s");
  }
}

std::uint64_t Recorder::text(const std::string& text) {
  put(Record::text);
  put(text);
  return texts_++;
}

void Recorder::open(bool in_call) {
  if (static_cast<std::size_t>(end_ - buffer_.data()) > full_block) flush();
  if (!in_call || !pending_) return;
  const auto known = calls_.find(pending_);
  const std::uint64_t name = known != calls_.end() ? known->second : calls_[pending_] = text(pending_);
  put_system();
  put(Record::enter);
  put(since_last(entered_));
  put(name);
  pending_ = nullptr;
  in_call_ = true;
}

Interval Recorder::since_last(Instant now) {
  const Interval d = now - last_;
  last_ = now;
  return d;
}

void Recorder::put_system() {
  if (system_ == Interval()) return;
  put(Record::system);
  put(system_);
  system_ = Interval();
}

void Recorder::outage(Instant from, Instant until) {
  open(false);
  put(Record::outage);
  put(from - Instant::start());
  put(until - from);
}

void Recorder::enter(const char* call, Instant now) {
  pending_ = call;
  entered_ = now;
}

void Recorder::leave() {
  pending_ = nullptr;
  if (!in_call_) return;
  open();
  const bool polled = end_ == polls_.end;
  put(Record::leave);
  if (polled) polls_.end = end_;
  in_call_ = false;
}

Interval Recorder::put_wait(Record record, Instant now, Interval cost) {
  open();
  put(record);
  const Interval wait = since_last(now) - cost;
  put(wait);
  return wait;
}

void Recorder::put_leaving(Record record, const Envelope& m, Instant now, Interval cost) {
  put_wait(record, now, cost);
  put(cost);
  put(record == Record::operated ? static_cast<std::uint64_t>(m.operation)
                                 : static_cast<std::uint64_t>(m.kind));
  put(static_cast<std::uint64_t>(m.peer));
}

void Recorder::sent(const Envelope& m, Instant now, Interval cost, Interval flight) {
  put_leaving(Record::sent, m, now, cost);
  put_signed(m.tag);
  put(static_cast<std::uint64_t>(m.bytes));
  put(m.context);
  put(flight);
}

void Recorder::take(bool probe, const Envelope& m, Instant now, Interval cost, Hop hop, Late late) {
  const Interval wait = put_wait(probe ? Record::found : Record::received, now, cost);
  put(cost);
  // Without a message on the path, the rank has not waited: its node was down during the cost.
  const bool other = (wait > Interval() || late) && hop != Hop{m.peer, m.sequence} && hop != Hop();
  put(static_cast<std::uint64_t>(m.kind) | flags(other, late));
  put(static_cast<std::uint64_t>(m.peer));
  put(m.sequence);
  put_signed(m.tag);
  put(static_cast<std::uint64_t>(m.bytes));
  put(m.context);
  if (other) put(hop);
  put_late(late);
}

void Recorder::operated(const Envelope& m, Instant now, Interval cost, Interval flight) {
  put_leaving(Record::operated, m, now, cost);
  put(static_cast<std::uint64_t>(m.bytes));
  put(m.context);
  put(flight);
}

void Recorder::answered(const Envelope& m, Instant now, Hop hop, Late late) {
  const Interval wait = put_wait(Record::answered, now, Interval());
  const bool other = (wait > Interval() || late) && hop != Hop{rank_, m.sequence, true};
  put(flags(other, late));
  put(static_cast<std::uint64_t>(m.peer));
  put(m.sequence);
  put(static_cast<std::uint64_t>(m.bytes));
  put(m.context);
  if (other) put(hop);
  put_late(late);
}

void Recorder::polled(Instant now) {
  if (polls_.begin && pending_ == polls_.call && end_ == polls_.end && entered_ == last_) {
    // The preceding call was equal: its record and its end are rewritten.
    end_ = polls_.begin;
    last_ = polls_.since;
    pending_ = nullptr;
    in_call_ = true;
  } else {
    const char* const call = pending_;
    open();
    polls_ = {call, call ? end_ : nullptr, nullptr, last_, 0};
  }
  put(Record::polled);
  put(since_last(now));
  put(++polls_.count);
  polls_.end = end_;
}

void Recorder::waited(Instant now, int rank, Instant failure, Late late) {
  open();
  if (now == last_ && !late) return;
  put(Record::waited);
  put(since_last(now));
  put(static_cast<std::uint64_t>(Awaited::failure) | flags(false, late));
  put(static_cast<std::uint64_t>(rank));
  put(failure - Instant::start());
  put_late(late);
}

void Recorder::waited(Instant now, Awaited own) {
  open();
  if (now == last_) return;
  put(Record::waited);
  put(since_last(now));
  put(static_cast<std::uint64_t>(own));
}

void Recorder::collective(std::uint64_t context) {
  open();
  put(Record::collective);
  put(context);
}

void Recorder::begin(const std::string& interval, Instant now) {
  open(false);
  const auto known = intervals_.find(interval);
  const std::uint64_t name =
      known != intervals_.end() ? known->second : intervals_[interval] = text(interval);
  put_system();
  put(Record::begin);
  put(since_last(now));
  put(name);
  open_.push_back(interval);
}

bool Recorder::end(const std::string& interval, Instant now) {
  if (open_.empty() || open_.back() != interval) return false;
  open_.pop_back();
  open(false);
  put_system();
  put(Record::end);
  put(since_last(now));
  return true;
}

void Recorder::finish(Instant now, const Path& path) {
  pending_ = nullptr;
  put_end(now, path, false);
}

void Recorder::failed(Instant now, const Path& path, Instant met, bool gap, Late late) {
  // A rank that failed in a call reached this instant in it.
  if (in_call_ || (pending_ && now > entered_)) {
    open();
    if (met > last_ || late) {
      gap = gap && !late;
      put(Record::waited);
      put(since_last(late ? last_ : met));
      put(static_cast<std::uint64_t>(gap ? Awaited::gap : Awaited::message) | flags(false, late));
      if (!gap) put(path.hop);
      put_late(late);
    }
    waited(now, rank_, now);
  }
  pending_ = nullptr;
  put_end(now, path, true);
}

void Recorder::put_end(Instant now, const Path& path, bool failed) {
  open(false);
  put_system();
  put(Record::finish);
  put(since_last(now));
  put(static_cast<std::uint64_t>(now.picoseconds()));
  put(static_cast<std::uint64_t>(failed));
  for (const Cause& cause : causes) put(path.*cause.part);
  for (const auto weight : weights) put(path.*weight);
}

void Recorder::close() {
  open(false);
  put(Record::closed);
  flush();
}

}  // namespace emu::record
