// Operations of a rank whose block is too long for memory: they are read from the text during the run.
//
// A rank may start its first operation, in file order, that waits for no other one. So operations are read ahead until
// one may start, or until it is certain that no unread operation may start. A survey of the block provides the limits
// for this: each operation waits for an operation at most a few places before it, and the statements about it are near.
// The operations in memory are those from the first incomplete one to the last one read: the window.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "part.h"
#include "reader.h"

namespace emu::goal {

// Properties of a block that are known in advance (survey.h).
struct Survey {
  Reader::Cursor begin;
  int operations = 0;
  int reach = 0;       // greatest number of operations between an operation and a statement about it
  int ahead = 0;       // each operation that waits for others waits for one of this many preceding operations
  int last_free = -1;  // the last operation that waits for no other one
  std::int64_t longest = 0;  // the longest `calc`, in units of time

  // Least number of operations in memory.
  int window() const { return reach + ahead; }
};

// The text that several ranks read. It remains mapped; a page occupies memory only while it is read.
class Streamed {
 public:
  // Gives pages of the text back to the system.
  using Forget = void (*)(std::string_view text);

  // `memory`: greatest size of all windows together, in bytes.
  Streamed(std::string_view text, std::string origin, std::int64_t memory, Forget forget)
      : text_(text), origin_(std::move(origin)), memory_(memory), forget_(forget) {}

  std::string_view text() const { return text_; }
  const std::string& origin() const { return origin_; }
  std::int64_t memory() const { return memory_; }
  // Adds `bytes` to the size of the windows. False if the sum exceeds the memory.
  bool take(std::int64_t bytes) { return (used_ += bytes) <= memory_; }
  // Counts bytes of text that have been read. Pages are returned to the system from time to time.
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
  // Thrown if the windows exceed their memory.
  struct Exceeded {
    std::string message;
  };

  // `block` outlives the object.
  explicit Stream(const StreamedBlock& block);
  ~Stream();
  Stream(const Stream&) = delete;

  const Operation16& operator[](int operation) const { return entry(operation).operation; }
  // These functions are as in Order.
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
    int dependents = -1;  // first index in links_
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
  std::vector<Entry> window_;  // by place; its size is a power of two
  std::size_t mask_ = 0;
  std::vector<Link> links_;
  int spare_ = -1;          // index of a free link
  std::vector<int> ready_;  // heap, the first in file order on top
  int first_ = 0;           // the first incomplete operation
  int read_ = 0;            // number of operations read
  int admitted_ = 0;        // number of operations whose statements have all been read
  int next_ = 0;            // index after the last one taken
  int complete_ = 0;        // number of complete operations
};

}  // namespace emu::goal
