// Record of the requests of one rank's program, in order: work in units of the reference CPU, messages, and waits. The
// record does not depend on the target, unless the program makes choices. record/program.md specifies the file format.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/failure.h"
#include "base/time.h"

namespace emu::record {

inline constexpr std::string_view program_magic = "emuprogr";
inline constexpr std::uint32_t program_version = 2;

// The kind of an entry, and its fields.
enum class EntryKind : std::uint8_t {
  text = 1,  // text: the next number of a name, from 0
  call,      // name: a call begins
  leave,     // the call ends
  declared,  // picoseconds of the reference CPU
  measured,  // picoseconds of the reference CPU
  send,      // context, peer, tag (signed), bytes, mode (rank::Mode): starts the next request, from 0
  receive,   // context, peer + 1 (0: any source), tag (signed; any tag is negative), bytes
  wait,      // count, then each request as its distance from the next one
  free,      // distance: no call waits for the request
  clock,     // the program reads its clock
  sleep,     // picoseconds
  copy,      // bytes, picoseconds on the target of the recording
  combine,   // bytes, picoseconds on the target of the recording: a predefined reduction
  allocate,  // bytes, bytes of the largest part, picoseconds on the target of the recording: temporary memory
  collective,  // context: messages of a collective operation follow
  buffered,    // waits for all buffered sends
  begin,       // name: an interval of the program begins
  end,         // the last open interval ends
  met,  // distance, source, tag (signed), bytes: the message that a receive took, if its arguments leave that open
  choice,  // Choice, name of the call: another target may lead to another program
  finish,  // the last entry
};

// Reason why a recorded program cannot be carried out on another target.
enum class Choice : std::uint8_t {
  any_source,
  any_request,  // the first of several requests to complete
  test,
  probe,
  cancel,
  one_sided,
  background,  // nonblocking collectives, generalized and partitioned requests
  file,
  threads,
  processes,
  agreement,
};
inline constexpr std::size_t choices = 11;

struct ProgramHeader {
  int rank = 0;
  int ranks = 0;
  std::string target;      // its name
  std::string program;     // its name
  std::string algorithms;  // of collective operations, as the target chooses them
};

// The file of `rank` in a trace.
inline std::string program_of(const std::string& folder, int rank) {
  return folder + "/program." + std::to_string(rank);
}

class ProgramWriter {
 public:
  static Result<std::unique_ptr<ProgramWriter>> create(const std::string& folder, const ProgramHeader& header,
                                                       std::function<void(const std::string&)> on_failure);
  ~ProgramWriter();
  ProgramWriter(const ProgramWriter&) = delete;

  // A call without requests leaves no entry. `call` has static storage duration.
  void enter(const char* call) {
    leave();
    call_ = call;
    pending_ = true;
  }
  void leave();
  void work(Interval work, bool measured);
  // Requests are identified by their addresses until they are waited for or freed.
  void send(const void* request, std::uint64_t context, int peer, int tag, std::int64_t bytes, int mode);
  // `peer` is negative: any source.
  void receive(const void* request, std::uint64_t context, int peer, int tag, std::int64_t bytes);
  void wait(std::span<const void* const> requests);
  void free(const void* request);
  void met(const void* request, int source, int tag, std::int64_t bytes);
  void clock() { put_kind(EntryKind::clock); }
  void sleep(Interval d) { put_kind(EntryKind::sleep, {ps(d)}); }
  void copy(std::int64_t bytes, Interval cost) { put_kind(EntryKind::copy, {u(bytes), ps(cost)}); }
  void combine(std::int64_t bytes, Interval cost) { put_kind(EntryKind::combine, {u(bytes), ps(cost)}); }
  void allocate(std::int64_t bytes, std::int64_t largest, Interval cost) {
    put_kind(EntryKind::allocate, {u(bytes), u(largest), ps(cost)});
  }
  void collective(std::uint64_t context) { put_kind(EntryKind::collective, {context}); }
  void buffered() { put_kind(EntryKind::buffered); }
  void begin(const std::string& interval);
  void end() { put_kind(EntryKind::end, {}, false); }
  // Keeps the first choice of each kind.
  void choice(Choice choice);
  void finish();

 private:
  ProgramWriter(int fd, std::string path, std::function<void(const std::string&)> on_failure);

  static std::uint64_t u(std::int64_t n) { return static_cast<std::uint64_t>(n); }
  static std::uint64_t ps(Interval d) { return u(d.picoseconds()); }
  void put(std::uint64_t n);
  void put_signed(std::int64_t n);
  void put(const std::string& text);
  // `in_call`: the current call is recorded first.
  void put_kind(EntryKind kind, std::initializer_list<std::uint64_t> fields = {}, bool in_call = true);
  std::uint64_t name(const std::string& text);
  void start(const void* request);
  void flush();

  int fd_;
  const std::string path_;
  std::function<void(const std::string&)> on_failure_;
  std::vector<std::uint8_t> buffer_;
  const char* call_ = "";
  bool pending_ = false;  // the call has begun and is not on record yet
  bool in_call_ = false;  // a recorded call has not ended
  std::unordered_map<std::string, std::uint64_t> names_;
  std::unordered_map<const void*, std::uint64_t> numbers_;  // of requests under way
  std::uint64_t requests_ = 0;
  std::uint32_t chosen_ = 0;  // a bit for each Choice
};

}  // namespace emu::record
