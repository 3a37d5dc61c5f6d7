// Reader of GOAL schedules. It reads block by block, so that the whole file need not be in memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/failure.h"
#include "labels.h"

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
  int of, on;     // places in Block::steps
  bool complete;  // requires; else irequires
};

// The operations of one rank.
struct Block {
  int rank = 0;
  std::vector<Step> steps;  // in file order
  std::vector<Dependency> dependencies;
};

class Reader {
 public:
  // `text` outlives the reader. A failure names `origin` and the line, and says what is expected.
  Reader(std::string_view text, std::string origin);

  // The number of ranks. Call it once, before next().
  Result<int> ranks();
  // The next block, which has no cycle; false: there is none. The memory of `block` is reused.
  Result<bool> next(Block& block);

 private:
  struct Pending {
    int line;
    std::string_view of, on;
    bool complete;
  };

  tl::unexpected<Failure> error_at(int line, const std::string& what) const;
  tl::unexpected<Failure> error(const std::string& what) const { return error_at(line_, what); }
  bool read_line();
  std::string word(std::size_t i) const { return i < words_ ? std::string(word_[i]) : ""; }
  bool is(std::size_t i, std::string_view expected) const { return i < words_ && word_[i] == expected; }
  std::string shown(std::size_t i) const;

  Result<void> begin_block(Block& block);
  Result<void> operation(Block& block);
  Result<void> message(std::size_t& at, Step& step);
  Result<void> dependency(Block& block);
  Result<void> end_block(Block& block);

  std::string without_comments_;  // the text, if the file has comments
  std::string_view text_;
  std::string origin_;
  std::size_t at_ = 0;
  int line_ = 0;
  static constexpr std::size_t most_words = 10;  // more than any statement has
  std::string_view word_[most_words];            // words of the line
  std::size_t words_ = 0;
  std::vector<bool> seen_;        // ranks whose block has begun
  Labels labels_;                 // labels of the block
  std::vector<Pending> pending_;  // dependencies on labels that are defined later
};

}  // namespace emu::goal
