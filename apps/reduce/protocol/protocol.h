// Messages of the protocol between ranks, and the settings that all ranks share. README.md describes the protocol.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace reduce {

inline constexpr int none = -1;

inline constexpr int control_tag = 1;
// Tags of data. The plan's pieces and results have tags that repeat after `jobs_with_tags` jobs; requested pieces and
// results have tags above them.
inline constexpr int first_data_tag = 2;
inline constexpr int jobs_with_tags = 16;
inline constexpr int most_pulls = 1 << 20;
constexpr std::int64_t first_pull_tag(std::int64_t ranks) {
  return first_data_tag + 2 * jobs_with_tags * ranks * ranks;
}
constexpr std::int64_t most_tag(std::int64_t ranks) { return first_pull_tag(ranks) + most_pulls; }

// A control message: a few words, without data.
struct Control {
  enum Kind : std::int32_t {
    // To the dealer:
    ready,  // list: the last job up to which all may be dealt; a rank; speeds (speed::both) of it and later ranks
    whole,   // the sender, a target of `job`, has its whole result
    census,  // list: a Census, the answer to `enter`
    here,    // the answer to `ping`
    bye,     // the sender starts no more reductions
    // From the dealer:
    plan,    // list: root, heir, speeds: the plan of `job`
    done,    // list: the two ranks with the result of `job`, then the inputs that were left out
    failed,  // list: the inputs of `job` that are lost
    enter,   // list: the ranks assumed to have failed. `view` begins: answer with a census
    fetch,   // list: block, 1 to combine it, then pairs of an input and the rank that has its piece
    gather,  // list: pairs of a block and the rank that has or makes its result. The receiver becomes a target
    ping,
    standby,  // to the deputies: all reductions are over, and the others get the end now
    end,      // list, to a rank assumed to have failed: number of ranks that will say farewell
    // Between any two ranks:
    later,     // the answer to `enter` of an earlier view than the sender's `view`
    farewell,  // to a rank assumed to have failed: nothing more will come
    pull,      // list: block, input (none: the result), tag: send this piece
  };
  std::int32_t kind = ping;
  std::int32_t view = 0;
  std::int32_t job = none;
  std::int32_t relay = 0;  // 1: relay it to your group
  std::vector<std::int32_t> list;

  std::vector<std::int32_t> words() const;
  static Control from(const std::int32_t* words, std::size_t count);
};

// The end of a job.
struct Outcome {
  int root = none;            // rank that has the result; none: there is no result
  int heir = none;            // the other rank that has it
  std::vector<int> lost;      // lost inputs, without which there is no result
  std::vector<int> left_out;  // inputs that are not in the result
};

enum class State : std::uint8_t { absent, coming, here };

// The pieces and results at one rank.
struct Census {
  struct Block {
    int number = 0;
    bool combining = false;        // this rank makes the result, or has made it
    State result = State::absent;  // here: made, or received as a target
    std::map<int, State> pieces;   // by input, without the rank's own
  };
  struct Job {
    int number = 0;
    bool target = false;             // the rank collects the result
    std::vector<std::int32_t> plan;  // as in Control::plan; empty: unknown
    std::vector<Block> blocks;
  };
  int upto = none;
  int speed = 0;
  bool bye = false;
  std::map<int, Outcome> outcomes;  // of the latest jobs
  std::vector<Job> jobs;            // jobs that have no outcome at the rank

  std::vector<std::int32_t> words() const;
  static Census from(const std::vector<std::int32_t>& words);
};

struct Settings {
  int ranks = 1;
  int dealer = 0;  // the first dealer; its deputies are the ranks before it, in descending order
  int copies = 2;  // number of ranks that store each piece of an input, its owner among them
  int window = 4;  // number of jobs that are dealt before the first of them is complete
  std::int64_t least_block = 1024;  // bytes; fewer ranks combine if blocks would be shorter
  bool tree = true;                 // until the first failure, the dealer sends through the leaders of groups
  std::set<int> risky;              // ranks whose inputs are stored first

  int successor(int place) const { return ((dealer - place) % ranks + ranks) % ranks; }
  int place_of(int rank) const { return successor(rank); }  // the function is its own inverse
};

}  // namespace reduce
