// A world for the protocol of the reduction: simulated ranks, messages that take any time, and failures at any
// moment.
#pragma once

#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <vector>

#include "reduce/protocol/peer.h"

namespace reduce {

// Composition of maps x -> a x + b modulo a prime: associative, not commutative.
struct Affine {
  std::int64_t a = 1;
  std::int64_t b = 0;
  bool operator==(const Affine&) const = default;
};

inline Affine then(const Affine& left, const Affine& right) {
  constexpr std::int64_t prime = 1'000'003;
  return {left.a * right.a % prime, (right.a * left.b + right.b) % prime};
}

class Affinities : public Arithmetic {
 public:
  Memory make(std::int64_t count) const override {
    return {new std::byte[static_cast<std::size_t>(count) * sizeof(Affine)](),
            std::default_delete<std::byte[]>()};
  }
  Memory part(const Memory& memory, std::int64_t index) const override {
    return {memory, memory.get() + index * static_cast<std::int64_t>(sizeof(Affine))};
  }
  void copy(const Memory& from, const Memory& to, std::int64_t count) const override {
    if (count != 0) std::memcpy(to.get(), from.get(), static_cast<std::size_t>(count) * sizeof(Affine));
  }
  void combine(const Memory& left, const Memory& right, std::int64_t count) const override {
    for (std::int64_t i = 0; i < count; ++i) at(right, i) = then(at(left, i), at(right, i));
  }
  std::int64_t element_bytes() const override { return sizeof(Affine); }

  static Affine& at(const Memory& memory, std::int64_t i) {
    return reinterpret_cast<Affine*>(memory.get())[i];
  }
};

struct Scene {
  int ranks = 5;
  int jobs = 3;
  int root = 0;
  int heir = 1;
  int dealer = 4;
  int copies = 2;
  std::int64_t count = 7;
  bool leave_out = false;
  bool tree = true;
  bool only_watchers_notice = false;  // the first three live ranks of the succession; otherwise all ranks
  std::set<int> risky;
  std::uint32_t seed = 1;
  std::map<int, int> failures;  // rank: the step after which it is dead
};

class World {
 public:
  explicit World(const Scene& scene) : scene_(scene), random_(scene.seed) {
    const Settings settings{scene.ranks, scene.dealer, scene.copies, 2, 1, scene.tree, scene.risky};
    for (int rank = 0; rank < scene.ranks; ++rank) {
      ends_.push_back(std::make_unique<End>(*this, rank));
      peers_.push_back(std::make_unique<Peer>(rank, settings, *ends_.back()));
    }
    started_.assign(static_cast<std::size_t>(scene.ranks), 0);
    left_.assign(static_cast<std::size_t>(scene.ranks), false);
  }

  // Runs until nothing can happen any more. Returns the number of steps.
  int run() {
    int steps = 0;
    for (; steps < 1'000'000; ++steps) {
      for (const auto& [rank, at] : scene_.failures)
        if (at == steps) fail(rank);
      if (!step() && !fail_next()) break;
    }
    return steps;
  }

  Peer& peer(int rank) { return *peers_[static_cast<std::size_t>(rank)]; }
  bool lives(int rank) const { return !dead_.contains(rank); }
  // True if all pieces of the rank's input of `job` had arrived when the first rank failed.
  bool stored(int rank, int job) const { return stored_.contains({rank, job}); }
  Affine input(int rank, int job, std::int64_t i) const { return {2 + rank + 3 * i, 1 + job + 5 * rank}; }
  Affine expected(int job, std::int64_t i, const std::vector<int>& left_out) const {
    Affine sum;
    for (int rank = 0; rank < scene_.ranks; ++rank)
      if (std::find(left_out.begin(), left_out.end(), rank) == left_out.end())
        sum = then(sum, input(rank, job, i));
    return sum;
  }
  std::int64_t most_held() const { return most_held_; }

 private:
  struct End : Wire {
    End(World& world, int rank) : world(world), rank(rank) {}
    void tell(int to, const Control& control) override {
      const auto words = control.words();
      world.controls_[{rank, to}].push_back({Control::from(words.data(), words.size()), world.sent_++});
    }
    void send(int to, int tag, const Memory& data, std::int64_t count, const Arithmetic&) override {
      if (!data) std::abort();
      world.data_[{rank, to, tag}].sent.push_back(
          {data, count, job_of(tag, world.scene_.ranks), world.sent_++});
    }
    int receive(int from, int tag, const Memory& into, std::int64_t count, const Arithmetic&) override {
      world.data_[{from, rank, tag}].wanted.push_back({into, count, ++last, 0});
      return last;
    }
    void forget(int transfer) override { forgotten.insert(transfer); }
    void give_up(int) override {}
    double now() override { return time += 1e-6; }
    static int job_of(int tag, int ranks) { return (tag - first_data_tag) / (2 * ranks * ranks); }

    World& world;
    int rank;
    int last = 0;
    double time = 0;
    std::set<int> forgotten;
  };
  struct Message {
    Memory data;
    std::int64_t count = 0;
    int number = 0;  // of a receive: its transfer; of a message: its job modulo 16
    int sent = 0;    // number of messages sent before
  };
  struct Channel {
    std::deque<Message> sent, wanted;
  };
  using Action = std::function<void()>;

  bool step() {
    std::erase_if(data_,
                  [](const auto& one) { return one.second.sent.empty() && one.second.wanted.empty(); });
    std::erase_if(controls_, [](const auto& one) { return one.second.empty(); });
    std::vector<Action> can;
    for (auto& [ends, queue] : controls_)
      if (!queue.empty() && lives(ends.second))
        can.push_back([this, &queue = queue, ends = ends] {
          const Control control = std::move(queue.front().first);
          came(ends.first, queue.front().second);
          queue.pop_front();
          peer(ends.second).hear(ends.first, control);
        });
    for (auto& [where, channel] : data_)
      if (!channel.sent.empty() && !channel.wanted.empty() && lives(std::get<1>(where)))
        can.push_back([this, &channel = channel, where = where] {
          carry(std::get<0>(where), std::get<1>(where), channel);
        });
    for (int rank = 0; rank < scene_.ranks; ++rank)
      if (lives(rank)) program(rank, can);
    if (can.empty()) return false;
    can[random_() % can.size()]();
    for (int rank = 0; rank < scene_.ranks; ++rank)
      most_held_ = std::max(most_held_, peer(rank).held_bytes());
    return true;
  }

  void carry(int from, int to, Channel& channel) {
    const Message sent = channel.sent.front();
    const Message wanted = channel.wanted.front();
    channel.sent.pop_front();
    channel.wanted.pop_front();
    if (sent.count != wanted.count) std::abort();
    came(from, sent.sent);
    arithmetic_.copy(sent.data, wanted.data, sent.count);
    End& end = *ends_[static_cast<std::size_t>(to)];
    if (!end.forgotten.contains(wanted.number)) peer(to).arrived(wanted.number);
  }

  // The actions that a rank may do by itself.
  void program(int rank, std::vector<Action>& can) {
    Peer& one = peer(rank);
    int& started = started_[static_cast<std::size_t>(rank)];
    if (one.excluded() || one.ended()) return;
    if (started < scene_.jobs) can.push_back([this, &one, &started, rank] { start(one, rank, started++); });
    can.push_back([&one] { one.work(1); });
    if (one.is_idle()) can.pop_back();
    const bool over = started == scene_.jobs && [&] {
      for (int job = 0; job < started; ++job)
        if (!one.outcome(job)) return false;
      return true;
    }();
    if (over && !left_[static_cast<std::size_t>(rank)])
      can.push_back([this, &one, rank] {
        left_[static_cast<std::size_t>(rank)] = true;
        one.leave();
      });
    for (int other : dead_)
      if (!one.failed(other) && notices(rank)) can.push_back([&one, other] { one.suspect(other); });
  }

  bool notices(int rank) const {
    if (!scene_.only_watchers_notice) return true;
    int place = 0;
    for (int living = 0; living < 3 && place < scene_.ranks; ++place) {
      const int watcher = (scene_.dealer - place + scene_.ranks) % scene_.ranks;
      if (watcher == rank) return true;
      living += lives(watcher) ? 1 : 0;
    }
    return false;
  }

  void start(Peer& one, int rank, int job) {
    Spec spec{{scene_.root, scene_.heir, scene_.count, sizeof(Affine), scene_.leave_out},
              &arithmetic_,
              arithmetic_.make(scene_.count),
              nullptr,
              true,
              0};
    for (std::int64_t i = 0; i < scene_.count; ++i) Affinities::at(spec.input, i) = input(rank, job, i);
    one.start(spec);
  }

  void came(int from, int number) { came_[from] = std::max(came_[from], number); }

  // The last messages of a failed rank never arrive unless a later one has; half of its data never arrives.
  void fail(int rank) {
    if (dead_.empty()) note_stored();
    dead_.insert(rank);
    const int last = std::max(sent_ - static_cast<int>(random_() % 30), came_[rank] + 1);
    for (auto& [ends, queue] : controls_)
      while (ends.first == rank && !queue.empty() && queue.back().second >= last) queue.pop_back();
    for (auto& [where, channel] : data_)
      if (std::get<0>(where) == rank)
        while (!channel.sent.empty() && (channel.sent.back().sent >= last || random_() % 2 == 0))
          channel.sent.pop_back();
  }
  bool fail_next() {
    for (const auto& [rank, at] : scene_.failures)
      if (lives(rank) && !over()) return fail(rank), true;
    return false;
  }
  bool over() const {
    for (const auto& one : peers_)
      if (!one->ended()) return false;
    return true;
  }
  void note_stored() {
    for (int rank = 0; rank < scene_.ranks; ++rank)
      for (int job = 0; job < started_[static_cast<std::size_t>(rank)]; ++job) {
        bool all = peer(rank).has_pushed(job);
        for (const auto& [where, channel] : data_)
          for (const Message& message : channel.sent)
            if (std::get<0>(where) == rank && message.number == job) all = false;
        if (all) stored_.insert({rank, job});
      }
  }

  const Scene scene_;
  std::mt19937 random_;
  Affinities arithmetic_;
  std::map<std::pair<int, int>, std::deque<std::pair<Control, int>>> controls_;
  std::map<std::tuple<int, int, int>, Channel> data_;
  std::vector<std::unique_ptr<End>> ends_;
  std::vector<std::unique_ptr<Peer>> peers_;
  std::vector<int> started_;
  std::vector<bool> left_;
  std::set<int> dead_;
  std::set<std::pair<int, int>> stored_;
  std::int64_t most_held_ = 0;
  int sent_ = 0;
  std::map<int, int> came_;  // by rank: its latest message that has arrived
};

}  // namespace reduce
