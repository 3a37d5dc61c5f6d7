#include "skeleton/extrapolate/extrapolate.h"

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "skeleton/extrapolate/likeness.h"

namespace emu::skeleton {
namespace {

std::string list_of(const std::vector<Skeleton>& recorded) {
  std::string text;
  for (std::size_t i = 0; i < recorded.size(); ++i)
    text += (i == 0 ? "" : i + 1 == recorded.size() ? " and " : ", ") + std::to_string(recorded[i].ranks);
  return text;
}

// The skeletons in parallel: equal steps and loops for each number of ranks, or extrapolation is impossible.
class Extrapolation {
 public:
  Extrapolation(const std::vector<Skeleton>& recorded, int ranks, const GridShape& shape)
      : recorded_(recorded), likeness_(recorded, ranks, shape), shape_(shape) {}

  Result<Extrapolated> run() {
    if (const auto known = likeness_.every_role_is_known(); !known) return tl::unexpected(known.error());
    std::vector<const std::vector<Node>*> same;
    for (const Skeleton& each : recorded_) same.push_back(&each.nodes);
    auto nodes = nodes_of(same);
    if (!nodes) return tl::unexpected(nodes.error());
    Extrapolated result;
    Skeleton& skeleton = result.skeleton = recorded_.back();
    skeleton.ranks = likeness_.asked().ranks();
    skeleton.nodes = std::move(*nodes);
    skeleton.seconds = likeness_.near_law(likeness_.everywhere(), seconds());
    skeleton.events = 0;
    count_events(skeleton.nodes, skeleton.events);
    result.notes = notes();
    return result;
  }

  std::size_t steps() const { return steps_; }  // number of steps up to now

 private:
  std::vector<double> seconds() const {
    std::vector<double> seconds;
    for (const Skeleton& each : recorded_) seconds.push_back(each.seconds);
    return seconds;
  }

  Result<std::vector<Node>> nodes_of(const std::vector<const std::vector<Node>*>& same) {
    std::vector<Node> result;
    for (const std::vector<Node>* each : same)
      if (each->size() != same.front()->size()) return other_loops(steps_ + 1);
    for (std::size_t i = 0; i < same.front()->size(); ++i) {
      std::vector<const Node*> nodes;
      for (const std::vector<Node>* each : same) nodes.push_back(&(*each)[i]);
      for (const Node* each : nodes)
        if (each->is_loop() != nodes.front()->is_loop()) return other_loops(steps_ + 1);
      auto node = nodes.front()->is_loop() ? loop_of(nodes) : step_of(nodes);
      if (!node) return tl::unexpected(node.error());
      result.push_back(std::move(*node));
    }
    return result;
  }

  Result<Node> loop_of(const std::vector<const Node*>& same) {
    Node loop;
    std::vector<const std::vector<Node>*> bodies;
    std::vector<double> times;
    for (const Node* each : same) {
      bodies.push_back(&each->body);
      times.push_back(each->times);
      loop.varies = loop.varies || each->varies;
    }
    const auto law = likeness_.law(likeness_.everywhere(), times, count_tolerance, false);
    if (!law || !(law->value >= 0.5))
      return fail("the loop that begins at step " + std::to_string(steps_ + 1) + " runs " + numbers(times) +
                  " times with " + list_of(recorded_) + " ranks, which follows no law");
    loops_.add(*law, law->value);
    loop.times = loop.varies ? std::max(1.0, law->value) : std::max(1.0, std::round(law->value));
    auto body = nodes_of(bodies);
    if (!body) return tl::unexpected(body.error());
    loop.body = std::move(*body);
    return loop;
  }

  Result<Node> step_of(const std::vector<const Node*>& same) {
    ++steps_;
    std::vector<const Step*> steps;
    std::vector<double> inside, times;
    for (const Node* each : same) {
      steps.push_back(&each->step);
      inside.push_back(each->step.inside);
      times.push_back(static_cast<double>(each->step.times));
      if (each->step.function() != same.front()->step.function()) return other_loops(steps_);
    }
    Node node;
    auto step = likeness_.step(steps, sizes_, work_);
    if (!step)
      return fail("step " + std::to_string(steps_) + " (" + name(steps.front()->function()) +
                  "): " + step.error().message);
    node.step = std::move(*step);
    const auto& all = likeness_.everywhere();
    node.step.inside = likeness_.near_law(all, inside);
    // Variation of work depends on the machine: taken from the recording with the most ranks.
    node.step.variation = steps.back()->variation;
    node.step.times = static_cast<std::uint64_t>(std::max(1.0, std::round(likeness_.near_law(all, times))));
    return node;
  }

  tl::unexpected<Failure> other_loops(std::size_t step) const {
    std::string symbols;
    for (const Skeleton& each : recorded_)
      symbols += (symbols.empty() ? "" : ", ") + std::to_string(steps_in(each.nodes));
    return fail("the loops differ with " + list_of(recorded_) + " ranks (" + symbols +
                " steps; they differ at step " + std::to_string(step) +
                "); recordings with more ranks may be more alike: 9 and more on a grid of two dimensions, 27 "
                "of three");
  }

  static std::string numbers(const std::vector<double>& values) {
    std::string text;
    for (const double value : values) {
      char number[32];
      std::snprintf(number, sizeof number, "%s%.6g", text.empty() ? "" : ", ", value);
      text += number;
    }
    return text;
  }

  static void count_events(const std::vector<Node>& nodes, std::uint64_t& sum) {
    for (const Node& node : nodes) {
      if (node.is_loop()) {
        count_events(node.body, sum);
        continue;
      }
      for (const Call& call : node.step.calls)
        if (call.function != Function::nothing) sum += node.step.times;
    }
  }

  std::vector<std::string> notes() const {
    std::vector<std::string> notes{"from " + list_of(recorded_) + " ranks, seen " + shape_.text() +
                                   "; loop counts: " + loops_.text() + "; sizes: " + sizes_.text() +
                                   "; work: " + work_.text()};
    const double worst = std::max({loops_.worst(), sizes_.worst(), work_.worst()});
    char text[128];
    std::snprintf(text, sizeof text, "the laws differ from the recordings by up to %.3g %%", 100 * worst);
    notes.emplace_back(text);
    constexpr double little = 0.005;
    if (std::max({loops_.doubt(), sizes_.doubt(), work_.doubt()}) > little) {
      std::snprintf(text, sizeof text, "%.2g %% in loop counts, %.2g %% in sizes, %.2g %% in work",
                    100 * loops_.doubt(), 100 * sizes_.doubt(), 100 * work_.doubt());
      notes.push_back("other laws that fit the recordings as well give values for " +
                      counted(likeness_.asked().ranks(), "rank") + " that differ by " + text);
    }
    if (recorded_.size() < 3)
      notes.emplace_back("two recordings determine a law but do not check it: a third one would");
    if (likeness_.uneven())
      notes.emplace_back("ranks in like places have other sizes or work: their means are taken");
    return notes;
  }

  static constexpr double count_tolerance = 0.02;
  const std::vector<Skeleton>& recorded_;
  Likeness likeness_;
  const GridShape shape_;
  std::size_t steps_ = 0;
  Laws loops_, sizes_, work_;
};

}  // namespace

Result<Extrapolated> extrapolate(std::vector<Skeleton> recorded, int ranks) {
  std::sort(recorded.begin(), recorded.end(),
            [](const Skeleton& a, const Skeleton& b) { return a.ranks < b.ranks; });
  for (std::size_t i = 1; i < recorded.size(); ++i)
    if (recorded[i].ranks == recorded[i - 1].ranks)
      return fail("two of the recordings have " + counted(recorded[i].ranks, "rank") +
                  "; each must have another number");
  if (recorded.size() < 2)
    return fail("too few recordings: 1 (expected two or three, with different numbers of ranks)");
  std::size_t furthest = 0;
  std::string why;
  for (const GridShape& shape : grid_shapes()) {
    Extrapolation extrapolation(recorded, ranks, shape);
    auto result = extrapolation.run();
    if (result) return result;
    if (why.empty() || extrapolation.steps() > furthest) why = result.error().message;
    furthest = std::max(furthest, extrapolation.steps());
  }
  return fail(counted(ranks, "rank") + " cannot be extrapolated from these recordings: " + why);
}

}  // namespace emu::skeleton
