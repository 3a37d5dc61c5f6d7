#include "reduce/protocol/protocol.h"

#include <cstddef>

namespace reduce {
namespace {

using Words = std::vector<std::int32_t>;

void put(Words& to, const std::vector<int>& list) {
  to.push_back(static_cast<std::int32_t>(list.size()));
  to.insert(to.end(), list.begin(), list.end());
}

// Takes words from the front.
class Reader {
 public:
  explicit Reader(const Words& words) : words_(words) {}
  int next() { return words_.at(at_++); }
  std::vector<int> list() {
    std::vector<int> list(static_cast<std::size_t>(next()));
    for (int& word : list) word = next();
    return list;
  }

 private:
  const Words& words_;
  std::size_t at_ = 0;
};

constexpr int flags_of(const Census::Block& block) {
  return (block.combining ? 1 : 0) + 2 * static_cast<int>(block.result);
}

void put(Words& to, const Census::Job& job) {
  to.insert(to.end(), {job.number, job.target ? 1 : 0});
  put(to, job.plan);
  to.push_back(static_cast<std::int32_t>(job.blocks.size()));
  for (const Census::Block& block : job.blocks) {
    to.insert(to.end(), {block.number, flags_of(block), static_cast<std::int32_t>(block.pieces.size())});
    for (const auto& [input, state] : block.pieces) to.push_back(input * 4 + static_cast<int>(state));
  }
}

Census::Job read_job(Reader& reader) {
  Census::Job job;
  job.number = reader.next();
  job.target = reader.next() != 0;
  job.plan = reader.list();
  job.blocks.resize(static_cast<std::size_t>(reader.next()));
  for (Census::Block& block : job.blocks) {
    block.number = reader.next();
    const int flags = reader.next();
    block.combining = flags % 2 != 0;
    block.result = static_cast<State>(flags / 2);
    for (int left = reader.next(); left > 0; --left) {
      const int piece = reader.next();
      block.pieces[piece / 4] = static_cast<State>(piece % 4);
    }
  }
  return job;
}

}  // namespace

std::vector<std::int32_t> Control::words() const {
  Words words{kind, view, job, relay};
  words.insert(words.end(), list.begin(), list.end());
  return words;
}

Control Control::from(const std::int32_t* words, std::size_t count) {
  return {words[0], words[1], words[2], words[3], {words + 4, words + count}};
}

std::vector<std::int32_t> Census::words() const {
  Words words{upto, speed, bye ? 1 : 0, static_cast<std::int32_t>(outcomes.size())};
  for (const auto& [job, outcome] : outcomes) {
    words.insert(words.end(), {job, outcome.root, outcome.heir});
    put(words, outcome.lost);
    put(words, outcome.left_out);
  }
  words.push_back(static_cast<std::int32_t>(jobs.size()));
  for (const Job& job : jobs) put(words, job);
  return words;
}

Census Census::from(const std::vector<std::int32_t>& words) {
  Reader reader(words);
  Census census;
  census.upto = reader.next();
  census.speed = reader.next();
  census.bye = reader.next() != 0;
  for (int left = reader.next(); left > 0; --left) {
    Outcome& outcome = census.outcomes[reader.next()];
    outcome.root = reader.next();
    outcome.heir = reader.next();
    outcome.lost = reader.list();
    outcome.left_out = reader.list();
  }
  for (int left = reader.next(); left > 0; --left) census.jobs.push_back(read_job(reader));
  return census;
}

}  // namespace reduce
