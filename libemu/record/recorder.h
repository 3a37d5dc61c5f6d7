// Writes one rank's part of a trace: record/format.h.
//
// Costs no virtual time. A call in which nothing happens leaves no record. What cannot be written ends the
// recording, not the run: the file keeps what it has, and `on_failure` is told once.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/failure.h"
#include "base/time.h"
#include "record/format.h"
#include "record/kinds.h"
#include "record/path.h"

namespace emu::record {

struct Header {
  int rank = 0;
  int ranks = 0;
  std::string target;   // its name
  std::string program;  // its name
  int node = 0;         // of the target; the rank's
  std::string group;    // what the target calls nodes like it; may be empty
};

// A message or an operation, as a record shows it. Not match::Message, which is of a higher layer.
struct Envelope {
  MessageKind kind = MessageKind::eager;
  int peer = 0;
  std::uint64_t sequence =
      0;        // received: its place among all that the sender sent; answered: the operation's
  int tag = 0;  // of a message
  std::int64_t bytes = 0;
  std::uint64_t context = 0;
  OperationKind operation = OperationKind::act;  // of Recorder::operated()
};

using Late = std::optional<Interval>;

class Recorder {
 public:
  static Result<std::unique_ptr<Recorder>> create(const std::string& folder, const Header& header,
                                                  std::function<void(const std::string&)> on_failure);
  ~Recorder();
  Recorder(const Recorder&) = delete;

  // Before all else, one after another: the rank's node is down from `from` to `until`.
  void outage(Instant from, Instant until);
  // Of what has been computed since the last record, the system took `time`, in addition to what it was told
  // to have taken before.
  void system(Interval time) { system_ += time; }
  // `now`: the clock after what is recorded. `cost`: what of that was no waiting.
  void enter(const char* call, Instant now);  // `call` lives for ever
  void leave();
  void sent(const Envelope& message, Instant now, Interval cost, Interval flight);
  // `hop`: what was waited for. `late`: how much later than it came the rank found it by polling; nothing: it did not poll for it.
  void received(const Envelope& message, Instant now, Interval cost, Hop hop, Late late = {}) {
    take(false, message, now, cost, hop, late);
  }
  void found(const Envelope& message, Instant now, Hop hop, Late late = {}) {
    take(true, message, now, Interval(), hop, late);
  }
  // An operation on another rank's memory leaves. `context`: the window's.
  void operated(const Envelope& operation, Instant now, Interval cost, Interval flight);
  // The result of an operation of this rank's is here. `hop`: what was waited for: the operation itself, or what held it up.
  void answered(const Envelope& result, Instant now, Hop hop, Late late = {});
  // A poll that answered false. Those that follow each other, call by call, are one record.
  void polled(Instant now);
  // For the node of `rank` to fail for good, at `failure`.
  void waited(Instant now, int rank, Instant failure, Late late = {});
  // For something of its own: the storage, or the end of a sleep.
  void waited(Instant now, Awaited own);
  void collective(std::uint64_t context);
  void begin(const std::string& interval, Instant now);
  // False, and nothing is recorded, unless `interval` is the one that began last of those that have not
  // ended.
  bool end(const std::string& interval, Instant now);
  const std::string* open_interval() const { return open_.empty() ? nullptr : &open_.back(); }
  void finish(Instant now, const Path& path);  // the entry to MPI_Finalize, and the path to it
  // The rank's own node fails for good. `met`: when it last had waited for something, for the gap g (`gap`) or
  // by the path's last message; `late`: it has just found that, so much later than it came.
  void failed(Instant now, const Path& path, Instant met, bool gap, Late late = {});
  void close();  // the last record; writes everything out

 private:
  Recorder(int fd, int rank, std::string path, std::function<void(const std::string&)> on_failure);

  // The beginnings of records. The first returns what passed since the last record but for `cost`.
  Interval put_wait(Record record, Instant now, Interval cost);
  void put_leaving(Record record, const Envelope& message, Instant now, Interval cost);
  void take(bool probe, const Envelope& message, Instant now, Interval cost, Hop hop, Late late);
  void put_late(Late late) {
    if (late) put(*late);
  }
  std::uint64_t text(const std::string& text);
  // A record may begin: the call it happens in is on record, and there is room.
  void open(bool in_call = true);
  Interval since_last(Instant now);
  void put_system();
  void put_end(Instant now, const Path& path, bool failed);
  void put(std::uint64_t n) {
    while (n >= 0x80) {
      *end_++ = static_cast<std::uint8_t>(n | 0x80);
      n >>= 7;
    }
    *end_++ = static_cast<std::uint8_t>(n);
  }
  void put(Interval d) { put(static_cast<std::uint64_t>(d.picoseconds())); }
  void put(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    for (int shift = 0; shift < 64; shift += 8) *end_++ = static_cast<std::uint8_t>(bits >> shift);
  }
  void put_signed(std::int64_t n) {
    put(static_cast<std::uint64_t>(n) << 1 ^ static_cast<std::uint64_t>(n >> 63));
  }
  void put(Hop hop) {
    put(static_cast<std::uint64_t>(hop.rank));
    put(static_cast<std::uint64_t>(hop.sequence) << 1 | static_cast<std::uint64_t>(hop.operation));
  }
  void put(Record record) { *end_++ = static_cast<std::uint8_t>(record); }
  void put(const std::string& text);
  void flush();

  int fd_;
  const int rank_;
  const std::string path_;
  std::function<void(const std::string&)> on_failure_;
  std::vector<std::uint8_t> buffer_;  // a block under way, behind room for its header
  std::uint8_t* end_;
  Instant last_;                   // the clock after the last record
  Interval system_;                // since then
  const char* pending_ = nullptr;  // a call that has begun and is not on record yet
  Instant entered_;
  // A call on record that did nothing but poll, and ended: where in the buffer.
  struct Polls {
    const char* call;
    std::uint8_t* begin;  // of the record; null: there is none such
    std::uint8_t* end;    // behind it, and the record of the call's end
    Instant since;        // the clock before
    std::uint64_t count;
  };
  Polls polls_{};
  bool in_call_ = false;                                  // a call is on record and has not ended
  std::unordered_map<const char*, std::uint64_t> calls_;  // numbers of their names
  std::unordered_map<std::string, std::uint64_t> intervals_;
  std::vector<std::string> open_;  // intervals
  std::uint64_t texts_ = 0;
};

}  // namespace emu::record
