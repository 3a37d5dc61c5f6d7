#include "skeleton/generate/generate.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "skeleton/fold/variation.h"
#include "skeleton/generate/prelude.h"
#include "skeleton/generate/step_text.h"
#include "skeleton/program/element.h"

namespace emu::skeleton {
namespace {

// Memory of a program. In floating point: sizes are checked afterwards.
struct Needs {
  double largest = 1;  // message
  double out = 1, in = 1;
  double slots = 1, communicators = 2;
  double numbers = 0;  // in the tables of one step
};

double bytes_out(const Call& call, double ranks) {
  double sum = 0;
  for (const std::int64_t each : call.list) sum += static_cast<double>(each);
  if (call.function == Function::wait || call.function == Function::farm) sum = 0;
  const bool one = reduces(call.function) && call.function != Function::reduce_scatter_block;
  const Element& element = element_of(reduces(call.function) ? call.unit : 1);
  return std::max(sum, static_cast<double>(call.bytes) * (is_collective(call.function) && !one ? ranks : 1)) *
         element.extent / element.bytes;
}

void count(const std::vector<Node>& nodes, double ranks, Needs& needs) {
  for (const Node& node : nodes) {
    count(node.body, ranks, needs);
    double numbers = 0;
    for (const Call& call : node.step.calls) {
      needs.out = std::max(needs.out, bytes_out(call, ranks));
      if (call.function == Function::wait)
        for (const std::int64_t slot : call.list)
          needs.slots = std::max(needs.slots, static_cast<double>(slot) + 1);
      if (starts(call.function)) needs.slots = std::max(needs.slots, call.slot + 1.0);
      if (const auto farm = farm_of(call))
        needs.largest = std::max(
            {needs.largest, static_cast<double>(call.bytes), static_cast<double>(farm->result_bytes)});
      if (sends(call.function)) needs.largest = std::max(needs.largest, static_cast<double>(call.bytes));
      const bool names =
          call.function == Function::communicator || call.function == Function::free_communicator;
      needs.communicators = std::max({needs.communicators, call.comm + 1.0, names ? call.slot + 1.0 : 1.0});
      if (call.function == Function::wait)
        numbers = std::max(numbers, static_cast<double>(call.list.size()) * ranks);
      if (is_collective(call.function) && !call.list.empty()) numbers = ranks * ranks;
    }
    needs.numbers = std::max(needs.numbers, numbers);
  }
}

Result<Needs> needs_of(const Skeleton& skeleton) {
  Needs needs;
  count(skeleton.nodes, skeleton.ranks, needs);
  needs.out = std::max(needs.out, needs.largest);
  needs.in = std::max(needs.out, needs.largest * (needs.slots + 1));
  constexpr double most = 2'147'483'647;
  if (needs.out > most)
    return fail("a rank sends " + count_text(needs.out) +
                " bytes at once; a skeleton can send up to 2147483647");
  constexpr double many = 1 << 20;
  if (needs.slots > many || needs.communicators > many)
    return fail("a skeleton can have up to 1048576 requests at once, and as many communicators");
  if (needs.numbers > 4 * many)
    return fail("a skeleton can say of each of up to 2048 ranks how much it sends to each; there are " +
                std::to_string(skeleton.ranks));
  return needs;
}

class Program {
 public:
  Program(const Skeleton& skeleton, const Scaling& scaling) : skeleton_(skeleton), scaling_(scaling) {}

  Result<std::string> write(const std::string& structure) {
    const auto needs = needs_of(skeleton_);
    if (!needs) return tl::unexpected(needs.error());
    write(skeleton_.nodes, 1);
    return head(structure, *needs) + prelude +
           (tables_.find("struct turns") != tables_.npos ? turns_code() : "") + (farms_ ? farm_prelude : "") +
           (tables_.empty() ? "" : "\n" + tables_) + "\nint main(int argc, char **argv) {\n" + variables_ +
           "  start(&argc, &argv);\n" + body_ + "  finish();\n  return 0;\n}\n";
  }

 private:
  std::string head(const std::string& structure, const Needs& needs) const {
    std::string text =
        "/* The skeleton of " + (skeleton_.program.empty() ? "a program" : in_comment(skeleton_.program)) +
        " on " + std::to_string(skeleton_.ranks) + " ranks, scaled down by " +
        count_text(scaling_.requested) + ". Compile it with mpicc (and -lm). Made by emu skeleton build.\n";
    if (!structure.empty()) text += " * " + in_comment(structure) + "\n";
    for (const std::string& note : scaling_.notes) text += " * " + in_comment(note) + "\n";
    text += " */\n#include <math.h>\n#include <mpi.h>\n#include <stdio.h>\n#include <stdlib.h>\n\n";
    const auto constant = [](const char* name, double value) {
      return "#define " + std::string(name) + " " + std::to_string(static_cast<std::int64_t>(value)) + "\n";
    };
    text += constant("ranks", skeleton_.ranks) + constant("slots", needs.slots) +
            constant("communicators", needs.communicators) + constant("largest", needs.largest) +
            constant("room_out", needs.out) + constant("room_in", needs.in);
    const double work = skeleton_.work_per_second > 0 ? skeleton_.work_per_second : 1e9;
    return text + "#define work_per_second " + count_text(work) + "\n";
  }

  static std::string turns_code() {
    std::string text = "\n#define most_turns " + std::to_string(most_turns) + "\n#define classes " +
                       std::to_string(class_ends.size()) + "\nstatic const double class_ends[classes] = {";
    for (std::size_t i = 0; i < class_ends.size(); ++i)
      text += (i > 0 ? ", " : "") + real_text(class_ends[i], "%.9g");
    return text + "};" + turns_prelude;
  }

  static std::string in_comment(std::string text) {
    for (std::size_t at; (at = text.find("*/")) != text.npos;) text.replace(at, 2, "* ");
    for (std::size_t at; (at = text.find("/*")) != text.npos;) text.replace(at, 2, "/ ");
    if (text.size() > 2000) text = text.substr(0, 2000) + " ...";
    return text;
  }

  void line(int depth, const std::string& text) {
    body_ += std::string(2 * static_cast<std::size_t>(depth), ' ') + text + "\n";
  }

  void write(const std::vector<Node>& nodes, int depth) {
    for (const Node& node : nodes) {
      if (node.is_loop()) {
        const auto scale = scaling_.loops.find(&node);
        scale == scaling_.loops.end() ? plain(node, depth) : scaled(node, scale->second, depth);
        continue;
      }
      if (node.step.function() == Function::farm) {
        farm(node, depth);
        continue;
      }
      for (const std::string& each : step_text(node.step, ++steps_, times_, tables_)) line(depth, each);
    }
  }

  void plain(const Node& node, int depth) {
    const std::string i = "i" + std::to_string(++loops_);
    if (node.varies) {
      variables_ += "  static double left" + i + ";\n";
      line(depth, "for (long " + i + " = times(" + count_text(node.times) + ", &left" + i + "); " + i +
                      " > 0; --" + i + ") {");
    } else {
      line(depth, "for (long " + i + " = 0; " + i + " < " + std::to_string(static_cast<long>(node.times)) +
                      "; ++" + i + ") {");
    }
    inside(node, {times_.times * node.times, times_.scaled}, depth);
    line(depth, "}");
  }

  void inside(const Node& loop, const Times& times, int depth) {
    const Times outside = std::exchange(times_, times);
    write(loop.body, depth + 1);
    times_ = outside;
  }

  void scaled(const Node& node, const LoopScale& scale, int depth) {
    const std::string i = "i" + std::to_string(++loops_), first = std::to_string(scale.first),
                      rest = std::to_string(scale.rest);
    char weight[32];
    std::snprintf(weight, sizeof weight, "%.15g", scale.weight);
    variables_ += "  static struct samples of_" + i + ";\n";
    line(depth, "/* " + count_text(node.times) + " times: " + first + " as it is, then " + rest +
                    " that stand for " + count_text(scale.weight) + " each */");
    line(depth, "for (long " + i + " = 0; " + i + " < " + first + " + " + rest + "; ++" + i + ") {");
    line(depth + 1, "if (" + i + " == " + first + ") weigh(" + weight + ");");
    inside(node, {times_.times * static_cast<double>(scale.rest), true}, depth);
    line(depth + 1, "sample(&of_" + i + ", " + i + " < " + first + ");");
    line(depth, "}");
    line(depth, "end_of_samples(&of_" + i + ");");
    line(depth, "weigh(1.0 / " + std::string(weight) + ");");
  }

  void farm(const Node& node, int depth) {
    const auto scale = scaling_.farms.find(&node);
    const Call& call = node.step.calls.front();
    const auto farm = farm_of(call);
    Step work = node.step;  // before the step
    for (Call& each : work.calls) {
      each = {};
      each.function = Function::finalize;
    }
    for (const std::string& each : step_text(work, ++steps_, times_, tables_)) line(depth, each);
    if (scale == scaling_.farms.end() || !farm) return;
    constexpr long most = 16384;
    FarmScale of_works = scale->second;
    if (of_works.tasks() > most) of_works = {.first = most};
    const std::vector<double> works = works_of(*farm, of_works);
    const std::string number = std::to_string(steps_), count = std::to_string(works.size());
    tables_ += "static const double task" + number + "[" + count + "] = {";
    for (std::size_t i = 0; i < works.size(); ++i)
      tables_ += (i > 0 ? i % 8 == 0 ? ",\n    " : ", " : "") + real_text(works[i], "%.6g");
    tables_ += "};\n";
    const FarmScale& s = scale->second;
    line(depth, "/* " + std::to_string(farm->tasks) + " tasks: " + std::to_string(s.first) +
                    " as they are, then " + std::to_string(s.rest) + " that stand for " +
                    count_text(s.weight) + " each, and " + std::to_string(s.last) + " */");
    line(depth, "farm(comm[" + std::to_string(call.comm) + "], " + std::to_string(call.peer) + ", " +
                    std::to_string(call.source_tag) + ", " + std::to_string(call.bytes) + ", " +
                    std::to_string(farm->result_bytes) + ", " + real_text(farm->master_work, "%.9g") +
                    ", task" + number + ", " + count + ", " + std::to_string(s.first) + ", " +
                    std::to_string(s.rest) + ", " + std::to_string(s.last) + ", " +
                    real_text(s.weight, "%.15g") + (farm->asks ? ", 1);" : ", 0);"));
    farms_ = true;
  }

  static std::string real_text(double value, const char* how) {
    char text[40];
    std::snprintf(text, sizeof text, how, value);
    return text;
  }

  const Skeleton& skeleton_;
  const Scaling& scaling_;
  bool farms_ = false;
  int steps_ = 0, loops_ = 0;
  Times times_;  // of the step that is being written
  std::string tables_, variables_, body_;
};

}  // namespace

Result<std::string> c_program(const Skeleton& skeleton, const Scaling& scaling,
                              const std::string& structure) {
  return Program(skeleton, scaling).write(structure);
}

Result<Outcome> parse_outcome(const std::string& output) {
  const std::size_t at = output.rfind("skeleton: predicted ");
  Outcome outcome;
  if (at == output.npos ||
      std::sscanf(output.c_str() + at, "skeleton: predicted %lf s = %lf x %lf s + %lf s, +- %lf s",
                  &outcome.predicted, &outcome.factor, &outcome.scaled, &outcome.whole,
                  &outcome.half_width) != 5)
    return fail("the skeleton did not say how long it took");
  outcome.ran = outcome.scaled + outcome.whole;
  return outcome;
}

}  // namespace emu::skeleton
