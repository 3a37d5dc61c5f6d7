// Messages of the protocol between ranks, and the settings that all of them have. README.md has the protocol.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace reduce {

inline constexpr int none = -1;

inline constexpr int control_tag = 1;
// Tags of data: the pieces and results that a plan announces, the same again after so many jobs; above, those that are
// asked for one by one.
inline constexpr int first_data_tag = 2;
inline constexpr int jobs_with_tags = 16;
inline constexpr int most_pulls = 1 << 20;
constexpr std::int64_t first_pull_tag(std::int64_t ranks) {
  return first_data_tag + 2 * jobs_with_tags * ranks * ranks;
}
constexpr std::int64_t most_tag(std::int64_t ranks) { return first_pull_tag(ranks) + most_pulls; }

// A message beside the data, a few words long.
struct Control {
  enum Kind : std::int32_t {
    // To the dealer.
    ready,  // list: the last job up to which all may be dealt; a rank; the speeds (speed::both) of it and those behind it
    whole,   // the sender, a target of `job`, has its whole result
    census,  // list: a Census, the answer to `enter`
    here,    // the answer to `ping`
    bye,     // the sender starts no more reductions
    // From the dealer.
    plan,    // list: root, heir, speeds: how `job` is dealt
    done,    // list: the two ranks with the result of `job`, inputs that were left out
    failed,  // list: the inputs of `job` that are lost
    enter,   // list: those that are held for failed. `view` begins: answer with a census
    fetch,   // list: block, whether to combine it, then pairs of an input and who has its piece
    gather,  // list: pairs of a block and who has or makes its result. The receiver is a target now
    ping,
    standby,  // to the deputies: all is over, and the others are told now
    end,      // list, to one that is held for failed: how many will say farewell
    // Between any two.
    later,     // the answer to `enter` of a view before the sender's, `view`
    farewell,  // to one that is held for failed: nothing more will come
    pull,      // list: block, input (none: the result), tag: send this
  };
  std::int32_t kind = ping;
  std::int32_t view = 0;
  std::int32_t job = none;
  std::int32_t relay = 0;  // 1: tell your group
  std::vector<std::int32_t> list;

  std::vector<std::int32_t> words() const;
  static Control from(const std::int32_t* words, std::size_t count);
};

// How a job ended.
struct Outcome {
  int root = none;            // who has the result; none: it failed
  int heir = none;            // who has it, too
  std::vector<int> lost;      // inputs without which there is none
  std::vector<int> left_out;  // inputs that are not in it
};

enum class State : std::uint8_t { absent, coming, here };

// What one rank holds.
struct Census {
  struct Block {
    int number = 0;
    bool combining = false;        // this rank makes the result, or has made it
    State result = State::absent;  // here: made, or got as a target
    std::map<int, State> pieces;   // by input; not the own ones
  };
  struct Job {
    int number = 0;
    bool target = false;             // collects the result
    std::vector<std::int32_t> plan;  // as in Control::plan; empty: not known
    std::vector<Block> blocks;
  };
  int upto = none;
  int speed = 0;
  bool bye = false;
  std::map<int, Outcome> outcomes;  // of the latest jobs
  std::vector<Job> jobs;            // that have no outcome here

  std::vector<std::int32_t> words() const;
  static Census from(const std::vector<std::int32_t>& words);
};

struct Settings {
  int ranks = 1;
  int dealer = 0;                   // the first; its deputies are the ranks before it, in descending order
  int copies = 2;                   // at so many ranks stands each piece of an input, its owner among them
  int window = 4;                   // so many jobs are dealt before the first of them is complete
  std::int64_t least_block = 1024;  // bytes: below that fewer ranks combine
  bool tree = true;                 // until the first failure, the dealer talks through leaders of groups
  std::set<int> risky;              // ranks whose inputs are stored first

  int successor(int place) const { return ((dealer - place) % ranks + ranks) % ranks; }
  int place_of(int rank) const { return successor(rank); }  // its own inverse
};

}  // namespace reduce
