// Reader of one rank's part of a trace, record by record: record/format.h. Accepts any bytes: damaged input is
// a failure that names the file and the position.
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
  Instant from;              // clock before it
  Instant now;               // clock after it: from + wait + cost, or + computation, + down
  Interval wait;             // sent, received, found, operated, answered, waited
  Instant met;               // as wait: the end of the waiting
  Interval cost;             // sent, received, operated, polled
  Interval down;             // time in which the node was down; not part of another interval
  Interval system;           // the system's part of the computation
  std::string_view name;     // enter, begin, end: name of the call or interval; valid as long as the reader
  record::Envelope message;  // sent, received, found, operated, answered; `sequence` in all of them
  Interval flight;           // sent, operated
  record::Hop hop;           // received, found, answered, waited: the awaited message
  std::optional<Interval> late;        // as hop: time from the message's arrival until polling found it
  bool gap = false;                    // sent, operated, waited: the wait was for the gap g
  bool own = false;                    // waited: for an own event, the storage or the end of a sleep
  int failure = -1;                    // waited: for the failure of this rank's node for good
  Instant fails;                       // instant of that failure
  bool failed = false;                 // finish: it is the failure of the rank's own node
  std::int64_t polls = 0;              // polled
  std::uint64_t context = 0;           // collective
  const record::Path* path = nullptr;  // finish: the path to it; valid as long as the reader
  const Spans* outages = nullptr;      // outages of the node, except for good; valid as long as the reader
};

class Reader {
 public:
  static Result<std::unique_ptr<Reader>> open(const std::string& path);
  // Reads from an open stream; `path` is its name in messages.
  static Result<std::unique_ptr<Reader>> from(std::unique_ptr<std::istream> file, const std::string& path);

  const record::Header& header() const { return header_; }
  // The next event; false at the end. A file that was cut off ends early: see cut().
  Result<bool> next(Event& event);
  // True if the last record was read, and is `closed`.
  bool complete() const { return closed_; }
  // If the file ends early: a sentence with the missing part and the position; otherwise empty.
  const std::string& cut() const { return cut_; }
  Instant now() const { return now_; }                  // after the last event
  std::uint64_t position() const { return position_; }  // in the file, of the current block

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
  bool path_to_finish();  // checks that it adds up to now_
  const char* contents_of(Event& event);
  const char* named(Event& event);
  const char* finish(Event& event);
  bool outage();
  bool system(Event& event);
  bool leave_out_outages(Event& event) const;
  tl::unexpected<Failure> damaged(const std::string& what) const;

  const std::string path_;
  const std::unique_ptr<std::istream> file_;
  record::Header header_;
  std::uint64_t position_ = 0;          // of the current block in the file
  std::vector<std::uint8_t> contents_;  // of the current block
  std::size_t at_ = 0;                  // position in contents_
  Instant now_;
  record::Path reached_;
  std::uint64_t sent_ = 0, operated_ = 0;
  Spans outages_;
  Interval system_;                                  // of the next record
  std::vector<std::unique_ptr<std::string>> texts_;  // at fixed addresses
  std::vector<std::string_view> intervals_;          // open ones
  bool in_call_ = false;
  bool closed_ = false;
  std::string cut_;
};

}  // namespace emu::analysis
