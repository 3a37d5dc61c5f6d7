// Recorder of one rank's part of a trace: record/format.h.
//
// Recording costs no virtual time. A call in which nothing happens leaves no record. A failure to write ends the
// recording, not the run: the file keeps its contents, and `on_failure` is called once.
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
  int node = 0;         // node of the rank in the target
  std::string group;    // the target's name for such nodes; may be empty
};

// A message or an operation, as a record describes it. match::Message belongs to a higher layer.
struct Envelope {
  MessageKind kind = MessageKind::eager;
  int peer = 0;
  // Received: its number among the messages of its sender; answered: the number of the operation.
  std::uint64_t sequence = 0;
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

  // Called before all other records, in order: the rank's node is down from `from` to `until`.
  void outage(Instant from, Instant until);
  // Adds `time` to the system time of the computation since the last record.
  void system(Interval time) { system_ += time; }
  // `now`: the clock after the recorded action. `cost`: the part of the time that was not waiting.
  void enter(const char* call, Instant now);  // `call`: a string of static storage duration
  void leave();
  void sent(const Envelope& message, Instant now, Interval cost, Interval flight);
  // `hop`: the awaited message. `late`: the time from its arrival until polling found it; nothing: no polling.
  void received(const Envelope& message, Instant now, Interval cost, Hop hop, Late late = {}) {
    take(false, message, now, cost, hop, late);
  }
  void found(const Envelope& message, Instant now, Hop hop, Late late = {}) {
    take(true, message, now, Interval(), hop, late);
  }
  // An operation on another rank's memory leaves. `context`: the context of the window.
  void operated(const Envelope& operation, Instant now, Interval cost, Interval flight);
  // The result of an own operation is handled. `hop`: the awaited event, which is the operation or the cause of its
  // delay.
  void answered(const Envelope& result, Instant now, Hop hop, Late late = {});
  // A poll with a false answer. Consecutive ones, call by call, are one record.
  void polled(Instant now);
  // A wait for the failure of the node of `rank` for good, at `failure`.
  void waited(Instant now, int rank, Instant failure, Late late = {});
  // A wait for an own event: the storage, or the end of a sleep.
  void waited(Instant now, Awaited own);
  void collective(std::uint64_t context);
  void begin(const std::string& interval, Instant now);
  // Returns false, and records nothing, unless `interval` is the open interval that began
  // last.
  bool end(const std::string& interval, Instant now);
  const std::string* open_interval() const { return open_.empty() ? nullptr : &open_.back(); }
  void finish(Instant now, const Path& path);  // the entry to MPI_Finalize, and the path to it
  // The rank's own node fails for good. `met`: the end of the last wait, for the gap g (`gap`) or for the path's last
  // message; `late`: the delay, if the rank has just found this event by polling.
  void failed(Instant now, const Path& path, Instant met, bool gap, Late late = {});
  void close();  // the last record; writes everything out

 private:
  Recorder(int fd, int rank, std::string path, std::function<void(const std::string&)> on_failure);

  // First parts of records. put_wait() returns the time since the last record without `cost`.
  Interval put_wait(Record record, Instant now, Interval cost);
  void put_leaving(Record record, const Envelope& message, Instant now, Interval cost);
  void take(bool probe, const Envelope& message, Instant now, Interval cost, Hop hop, Late late);
  void put_late(Late late) {
    if (late) put(*late);
  }
  std::uint64_t text(const std::string& text);
  // Prepares a record: writes the current call, and makes room.
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
  std::vector<std::uint8_t> buffer_;  // the current block, behind the space for its header
  std::uint8_t* end_;
  Instant last_;                   // the clock after the last record
  Interval system_;                // since last_
  const char* pending_ = nullptr;  // a call that has begun and is not recorded yet
  Instant entered_;
  // The position in the buffer of a recorded call that only polled, and ended.
  struct Polls {
    const char* call;
    std::uint8_t* begin;  // start of the record; null: none
    std::uint8_t* end;    // after it, and after the record of the call's end
    Instant since;        // the clock before the call
    std::uint64_t count;
  };
  Polls polls_{};
  bool in_call_ = false;                                  // a recorded call has not ended
  std::unordered_map<const char*, std::uint64_t> calls_;  // numbers of their names
  std::unordered_map<std::string, std::uint64_t> intervals_;
  std::vector<std::string> open_;  // intervals
  std::uint64_t texts_ = 0;
};

}  // namespace emu::record
