// Operations of a rank whose block is too long for memory: read from the text while they are played.
//
// A rank may start the first of its operations, in file order, that waits for no other one. So operations are read ahead until
// one may start, or it is certain that none of those that are not read may start. A survey of the block finds what makes this
// certain: an operation waits for one of a few places before it, and the statements about it are near. The operations in
// memory are those from the first one that is not complete to the last one that is read: the window.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "part.h"
#include "reader.h"

namespace emu::goal {

// What is known of a block in advance (survey.h).
struct Survey {
  Reader::Cursor begin;
  int operations = 0;
  int reach = 0;             // so many operations can be between an operation and a statement about it
  int ahead = 0;             // an operation, if it waits for any, waits for one of so many before it
  int last_free = -1;        // the last operation that waits for none
  std::int64_t longest = 0;  // the longest `calc`, in units of time

  // Operations that are in memory at least.
  int window() const { return reach + ahead; }
};

// The text that several ranks read. It remains mapped; its pages occupy memory only while they are being read.
class Streamed {
 public:
  // Gives pages of the text back to the system.
  using Forget = void (*)(std::string_view text);

  // All windows together have up to `memory` bytes.
  Streamed(std::string_view text, std::string origin, std::int64_t memory, Forget forget)
      : text_(text), origin_(std::move(origin)), memory_(memory), forget_(forget) {}

  std::string_view text() const { return text_; }
  const std::string& origin() const { return origin_; }
  std::int64_t memory() const { return memory_; }
  // Bytes of windows that are there in addition. False: there is no room for them.
  bool take(std::int64_t bytes) { return (used_ += bytes) <= memory_; }
  // So many bytes of text have been read. From time to time the pages are given back to the system.
  void read(std::size_t bytes);
  Block& scratch() { return scratch_; }

 private:
  const std::string_view text_;
  const std::string origin_;
  const std::int64_t memory_;
  const Forget forget_;
  std::int64_t used_ = 0;
  std::int64_t since_ = 0;  // bytes read since pages were given back
  Block scratch_;
};

// A block in a text.
struct StreamedBlock {
  Survey survey;
  std::shared_ptr<Streamed> text;
};

class Stream {
 public:
  // Thrown if the windows need more memory than they may have.
  struct Exceeded {
    std::string message;
  };

  // `block` outlives it.
  explicit Stream(const StreamedBlock& block);
  ~Stream();
  Stream(const Stream&) = delete;

  const Operation16& operator[](int operation) const { return entry(operation).operation; }
  // As those of Order.
  int take();
  void started(int operation);
  void complete(int operation);
  bool alone(int operation);
  bool over() const { return complete_ == survey_.operations; }

 private:
  enum class State : std::uint8_t { waits, started, complete };
  struct Entry {
    Operation16 operation;
    std::uint32_t missing = 0;
    int dependents = -1;  // in links_
    State state = State::waits;
  };
  struct Link {
    int of;
    int next;
    bool end;
  };

  Entry& entry(int operation) { return window_[static_cast<std::size_t>(operation) & mask_]; }
  const Entry& entry(int operation) const { return window_[static_cast<std::size_t>(operation) & mask_]; }
  bool certain() const;
  void read_until_certain();
  void read();
  void grow();
  void depend(const Dependency& dependency);
  void release(int operation, bool end);
  void admit(int operation);

  const Survey& survey_;
  Streamed& text_;
  Reader reader_;
  std::vector<Entry> window_;  // by place, a power of two
  std::size_t mask_ = 0;
  std::vector<Link> links_;
  int spare_ = -1;          // link
  std::vector<int> ready_;  // heap, the first in file order on top
  int first_ = 0;           // the first that is not complete
  int read_ = 0;            // number of operations read
  int admitted_ = 0;        // number of those about which all statements are read
  int next_ = 0;            // behind the last one taken
  int complete_ = 0;        // number
};

}  // namespace emu::goal
