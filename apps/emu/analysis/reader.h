// Reads one rank's part of a trace back, record by record: record/format.h. Takes whatever bytes it is given:
// what is damaged is a failure that names the file and the position, never more than that.
#pragma once

#include <cstdint>
#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/spans.h"
#include "base/failure.h"
#include "base/time.h"
#include "record/format.h"
#include "record/recorder.h"

namespace emu::analysis {

using record::Record;  // the kind of an event

struct Event {
  Record kind = Record::leave;
  Instant from;                  // the clock before it
  Instant now;                   // and after it: from + wait + cost, or + what was computed, + down
  Interval wait;                 // sent, received, found, operated, answered, waited
  Instant met;                   // the same: when the waiting was over
  Interval cost;                 // sent, received, operated, polled
  Interval down;                 // the node was down meanwhile; in no other interval
  Interval system;               // of what was computed, what the system took
  std::string_view name;         // enter, begin, end: of the call or interval; valid as long as the reader
  record::Envelope message;      // sent, received, found, operated, answered; `sequence` in all of them
  Interval flight;               // sent, operated
  record::Hop hop;               // received, found, answered, waited: the message that was waited for
  std::optional<Interval> late;  // the same: how much later than that came the rank found it by polling
  bool gap = false;              // sent, operated, waited: it was the gap g
  bool own = false;              // waited: for something of its own, the storage or the end of a sleep
  int failure = -1;              // waited: it was this rank's node, to fail for good
  Instant fails;                 // ... when that was
  bool failed = false;           // finish: it is the failure of the rank's own node
  std::int64_t polls = 0;        // polled
  std::uint64_t context = 0;     // collective
  const record::Path* path = nullptr;  // finish: to it; valid as long as the reader
  const Spans* outages = nullptr;      // of the node, for good ones left out; valid as long as the reader
};

class Reader {
 public:
  static Result<std::unique_ptr<Reader>> open(const std::string& path);
  // From a stream that is already open; `path` stands for its name in messages.
  static Result<std::unique_ptr<Reader>> from(std::unique_ptr<std::istream> file, const std::string& path);

  const record::Header& header() const { return header_; }
  // The next event; false at the end. A file that was cut off ends early: see cut().
  Result<bool> next(Event& event);
  // The last record was read, and it was `closed`.
  bool complete() const { return closed_; }
  // What is missing, if the file ends early, in one sentence with the position; else empty.
  const std::string& cut() const { return cut_; }
  Instant now() const { return now_; }                  // after the last event
  std::uint64_t position() const { return position_; }  // in the file, of the block at hand

 private:
  Reader(std::unique_ptr<std::istream> file, std::string path)
      : path_(std::move(path)), file_(std::move(file)) {}

  Result<void> read_header();
  Result<bool> load_block();
  Result<bool> parse(Event& event);
  bool number(std::uint64_t& n);
  bool real(double& x);  // not negative
  bool interval(Interval& d);
  bool message(Event& event);
  bool other_end(Event& event);
  bool operation(Event& event);
  bool result(Event& event);
  bool hop(record::Hop& hop);
  bool late(Event& event);
  bool waited(Event& event);
  bool text(std::string& text);
  bool path_to_finish();  // it adds up to now_
  const char* named(Event& event);
  const char* finish(Event& event);
  bool outage();
  bool system(Event& event);
  bool leave_out_outages(Event& event) const;
  tl::unexpected<Failure> damaged(const std::string& what) const;

  const std::string path_;
  const std::unique_ptr<std::istream> file_;
  record::Header header_;
  std::uint64_t position_ = 0;          // of the block at hand in the file
  std::vector<std::uint8_t> contents_;  // of it
  std::size_t at_ = 0;                  // in it
  Instant now_;
  record::Path reached_;
  std::uint64_t sent_ = 0, operated_ = 0;
  Spans outages_;
  Interval system_;                                  // of the record to come
  std::vector<std::unique_ptr<std::string>> texts_;  // stay where they are
  std::vector<std::string_view> intervals_;          // that are open
  bool in_call_ = false;
  bool closed_ = false;
  std::string cut_;
};

}  // namespace emu::analysis
