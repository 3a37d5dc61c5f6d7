// Reader of GOAL schedules, block by block or portion by portion, so that the whole file need not be in memory.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/failure.h"
#include "labels.h"
#include "scanner.h"

namespace emu::goal {

enum class Kind : std::uint8_t { send, receive, compute };

struct Step {
  std::int64_t amount = 0;  // bytes of a message (at most what an MPI count holds), or units of time
  int peer = 0;             // messages only: a rank of the schedule
  int tag = 0;              // messages only
  int line = 0;             // line number in the file
  Kind kind = Kind::compute;
};

// `of` starts when `on` is complete, or when `on` has started.
struct Dependency {
  int of, on;     // indices of the rank's operations
  bool complete;  // requires; else irequires
};

// The operations of one rank, or a portion of them.
struct Block {
  int rank = 0;
  int first = 0;            // index of the first of `steps`; 0 if this is the whole block
  std::vector<Step> steps;  // in file order
  std::vector<Dependency> dependencies;

  // The index of the next operation.
  int next() const { return first + static_cast<int>(steps.size()); }
};

// irregular: the block cannot be read in portions, since its labels need a table, or are used before they are defined.
enum class Portion { more, last, irregular };

class Reader {
 public:
  // `text` outlives the reader. A failure names `origin`, the line and the expected form.
  Reader(std::string_view text, std::string origin);

  // The number of ranks. Call it once, before next().
  Result<int> ranks();
  // Reads the next block, which has no cycle; false at the end. The memory of `block` is reused.
  Result<bool> next(Block& block);

  // In place of next(): the start of the next block; then either rest(), or portion() until the last one.
  Result<bool> begin(Block& block);
  // The whole block; also after portions. Reads at most the number of operations that keep_at_most() has set.
  Result<void> rest(Block& block);
  // The next statements, with up to `most` operations. Further dependencies of the last operation may follow.
  Result<Portion> portion(Block& block, int most);

  // A position in a block that is read in portions.
  struct At {
    std::size_t place = 0;
    int line = 0;
    bool in_comment = false;  // in a comment that began on an earlier line
  };
  struct Cursor {
    At at;
    int rank = 0, ranks = 0;
  };
  // Limits the operations in memory, for a text that is too long for memory.
  void keep_at_most(std::int64_t operations) { kept_ = operations; }
  // The block cannot be read in portions, because of the last statement. For the failure of rest().
  void is_hindered() { hindrance_ = at_.line; }
  Cursor cursor(const Block& block) const { return {at_, block.rank, ranks_}; }
  // Moves to a position after the start of a block.
  void go_to(const Cursor& cursor, Block& block);
  // Number of characters before the next line.
  std::size_t place() const { return at_.place; }

 private:
  struct Pending {
    int line;
    std::string_view of, on;
    bool complete;
  };

  tl::unexpected<Failure> error_at(int line, const std::string& what) const;
  tl::unexpected<Failure> error(const std::string& what) const { return error_at(at_.line, what); }
  bool read_line();
  std::string word(std::size_t i) const { return i < words_ ? std::string(word_[i]) : ""; }
  bool is(std::size_t i, std::string_view expected) const { return i < words_ && word_[i] == expected; }
  static std::string quoted(std::string_view word);
  std::string shown(std::size_t i) const;

  std::size_t skip_comment(std::size_t at);
  bool scan(Block& block);
  bool scan_step(Scanner& scanner, Step& step) const;
  void begin_again(Block& block, bool table);
  Result<void> statement(Block& block);
  Result<void> begin_block(Block& block);
  Result<void> operation(Block& block);
  Result<void> message(std::size_t& at, Step& step);
  Result<void> dependency(Block& block);
  Result<void> end_block(Block& block);

  std::string_view text_;
  std::string origin_;
  At at_;                                        // the next line
  At begin_;                                     // start of the block
  static constexpr std::size_t most_words = 10;  // more than any statement has
  std::string_view word_[most_words];            // words of the line
  std::size_t words_ = 0;
  int ranks_ = 0;
  std::int64_t kept_ = std::numeric_limits<std::int64_t>::max();
  int hindrance_ = 0;             // line of the statement that prevents portions
  bool irregular_ = false;        // a label is out of the sequence of numbered ones
  std::vector<bool> seen_;        // ranks whose block has begun
  Labels labels_;                 // labels of the block
  std::vector<Pending> pending_;  // dependencies on labels that are defined later
};

}  // namespace emu::goal
