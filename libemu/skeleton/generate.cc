#include "skeleton/generate.h"

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>

#include "skeleton/prelude.h"
#include "skeleton/step_text.h"

namespace emu::skeleton {
namespace {

std::string count_text(double count) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", count);
  return text;
}

// What a program needs room for.
struct Needs {
  std::int64_t largest = 1;  // message
  std::int64_t out = 1, in = 1;
  std::int32_t slots = 1, communicators = 2;
};

void count(const std::vector<Node>& nodes, std::int64_t ranks, Needs& needs) {
  for (const Node& node : nodes) {
    count(node.body, ranks, needs);
    for (const Call& call : node.step.calls) {
      std::int64_t sum = 0;
      for (const std::int64_t each : call.list) sum += each;
      if (call.function != Function::wait) needs.out = std::max(needs.out, sum);
      if (call.function == Function::wait)
        for (const std::int64_t slot : call.list)
          needs.slots = std::max(needs.slots, static_cast<std::int32_t>(slot) + 1);
      if (starts(call.function)) needs.slots = std::max(needs.slots, call.slot + 1);
      if (sends(call.function)) needs.largest = std::max(needs.largest, call.bytes);
      const bool for_each = is_collective(call.function) &&
                            !(reduces(call.function) && call.function != Function::reduce_scatter_block);
      needs.out = std::max(needs.out, call.bytes * (for_each ? ranks : 1));
      needs.communicators =
          std::max(needs.communicators,
                   std::max(call.comm, call.function == Function::communicator ? call.slot : 0) + 1);
    }
  }
}

class Program {
 public:
  Program(const Skeleton& skeleton, const Scaling& scaling) : skeleton_(skeleton), scaling_(scaling) {}

  Result<std::string> write(const std::string& structure) {
    Needs needs;
    count(skeleton_.nodes, skeleton_.ranks, needs);
    needs.out = std::max(needs.out, needs.largest);
    needs.in = std::max(needs.out, needs.largest * (needs.slots + 1));
    constexpr std::int64_t most = 2'147'483'647;
    if (needs.out > most)
      return fail("a message of " + std::to_string(needs.out) +
                  " bytes is larger than a skeleton can send: " + std::to_string(most));
    if (needs.slots > 1 << 20 || needs.communicators > 1 << 20)
      return fail("a skeleton can have up to 1048576 requests at once, and as many communicators");
    write(skeleton_.nodes, 1);
    return head(structure, needs) + prelude + (tables_.empty() ? "" : "\n" + tables_) +
           "\nint main(int argc, char **argv) {\n" + variables_ + "  start(&argc, &argv);\n" + body_ +
           "  finish();\n  return 0;\n}\n";
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
    const auto constant = [](const char* name, std::int64_t value) {
      return "#define " + std::string(name) + " " + std::to_string(value) + "\n";
    };
    text += constant("ranks", skeleton_.ranks) + constant("slots", needs.slots) +
            constant("communicators", needs.communicators) + constant("largest", needs.largest) +
            constant("room_out", needs.out) + constant("room_in", needs.in);
    const double work = skeleton_.work_per_second > 0 ? skeleton_.work_per_second : 1e9;
    return text + "#define work_per_second " + count_text(work) + "\n";
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
      for (const std::string& each : step_text(node.step, ++steps_, tables_)) line(depth, each);
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
    write(node.body, depth + 1);
    line(depth, "}");
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
    line(depth + 1, "if (" + i + " == " + first + ") stands_for(" + weight + ");");
    write(node.body, depth + 1);
    line(depth + 1, "sample(&of_" + i + ", " + i + " < " + first + ");");
    line(depth, "}");
    line(depth, "end_of_samples(&of_" + i + ");");
    line(depth, "stands_for(1.0 / " + std::string(weight) + ");");
  }

  const Skeleton& skeleton_;
  const Scaling& scaling_;
  int steps_ = 0, loops_ = 0;
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
