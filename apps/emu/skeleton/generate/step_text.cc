#include "skeleton/generate/step_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "skeleton/generate/expression.h"
#include "skeleton/generate/prelude.h"
#include "skeleton/program/element.h"

namespace emu::skeleton {
namespace {

using Values = std::vector<std::int64_t>;

class Writing {
 public:
  Writing(const Step& step, int number, const Times& times, std::string& tables)
      : step_(step),
        times_(times),
        suffix_("_" + std::to_string(number)),
        tables_(tables),
        there_(step.calls.size()) {
    for (std::size_t rank = 0; rank < there_.size(); ++rank)
      there_[rank] = step.calls[rank].function != Function::nothing;
  }

  std::vector<std::string> lines() {
    std::vector<std::string> result;
    if (const std::string work = work_text(); !work.empty()) result.push_back(work);
    std::string call = call_text();
    if (call.empty()) return result;
    const auto who = condition_text("takes_part", there_);
    result.push_back(who.empty() ? call : "if (" + who + ") " + call);
    return result;
  }

 private:
  std::string work_text() {
    double least = 1e300, most = 0, sum = 0;
    for (const double work : step_.work) {
      least = std::min(least, work);
      most = std::max(most, work);
      sum += work;
    }
    if (most == 0) return {};
    // Such a small difference is due to the measurement.
    if (most - least <= 1e-6 * most)
      return "compute(" + real(sum / static_cast<double>(step_.work.size())) + turn_text() + ");";
    std::string values;
    for (std::size_t i = 0; i < step_.work.size(); ++i) values += (i > 0 ? ", " : "") + real(step_.work[i]);
    table("double", "work", values);
    return "compute(work" + suffix_ + "[rank]" + turn_text() + ");";
  }

  // In a scaled loop, the first iteration counts once, and uses the mean.
  std::string turn_text() {
    if (step_.variation.none() || times_.times < 2) return {};
    std::string values;
    for (const double each : step_.variation.classes) values += (values.empty() ? "" : ", ") + real(each);
    table("double", "classes", values, "[classes]");
    constexpr double many = 1e15;
    const double times = std::min(times_.times, many), rounds = std::ceil(times / most_turns);
    tables_ += "static struct turns turns" + suffix_ + " = {" + std::to_string(std::lround(times / rounds)) +
               ", 0, {0}};\n";
    const std::string turn =
        "turn(classes" + suffix_ + ", &turns" + suffix_ + ", " + real(step_.variation.together) + ")";
    return times_.scaled ? " * (weight > 1 ? " + turn + " : 1)" : " * " + turn;
  }

  static std::string real(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", value);
    return text;
  }

  void table(const std::string& type, const std::string& name, const std::string& values,
             const std::string& dimension = "[ranks]") {
    std::string text = "static const " + type + " " + name + suffix_ + dimension + " = {";
    // Lines of readable length.
    std::size_t column = text.size();
    for (std::size_t at = 0; at < values.size();) {
      std::size_t end = std::min(values.find(", ", at), values.size());
      const std::string word = values.substr(at, end - at) + (end < values.size() ? "," : "");
      if (column + word.size() > 108) {
        text += "\n   ";
        column = 3;
      }
      text += (at > 0 ? " " : "") + word;
      column += word.size() + 1;
      at = end + 2;
    }
    tables_ += text + "};\n";
  }

  std::string condition_text(const std::string& name, const std::vector<bool>& holds) {
    if (const auto text = condition(holds)) return *text;
    std::string values;
    for (std::size_t i = 0; i < holds.size(); ++i)
      values += std::string(i > 0 ? ", " : "") + (holds[i] ? "1" : "0");
    table("char", name, values);
    return name + suffix_ + "[rank]";
  }

  // A value for each participating rank.
  std::string value(const std::string& name, std::int64_t (*get)(const Call&)) {
    Values values;
    for (const Call& call : step_.calls) values.push_back(get(call));
    return value(name, values, there_);
  }
  std::string value(const std::string& name, const Values& values, const std::vector<bool>& matters) {
    if (const auto text = formula(values, matters)) return *text;
    std::string text;
    for (std::size_t i = 0; i < values.size(); ++i)
      text += (i > 0 ? ", " : "") + std::to_string(matters[i] ? values[i] : 0);
    table("int", name, text);
    return name + suffix_ + "[rank]";
  }

  // A peer, or none on some ranks.
  std::string peer(const std::string& name, std::int64_t (*get)(const Call&), const char* of_any) {
    Values values;
    std::vector<bool> matters = there_, given;
    bool anyone = false, any_of_them = false;
    for (std::size_t rank = 0; rank < there_.size(); ++rank) {
      values.push_back(get(step_.calls[rank]));
      if (there_[rank] && values[rank] == any) any_of_them = true;
      matters[rank] = there_[rank] && values[rank] >= 0;
      // On ranks that take no part any value is possible, which may shorten the condition.
      given.push_back(matters[rank]);
      anyone = anyone || matters[rank];
    }
    if (any_of_them && !anyone) return of_any;
    if (!anyone) return "MPI_PROC_NULL";
    const std::string there = value(name, values, matters);
    bool all = true;
    for (std::size_t rank = 0; rank < there_.size(); ++rank) all = all && given[rank] == there_[rank];
    if (all) return there;
    const std::string who = condition_text("has_" + name, given);
    return "peer_or_none(" + who + ", " + there + ")";
  }

  std::string tag() {
    return tag_of([](const Call& c) { return std::int64_t{c.tag}; }, "tag");
  }
  std::string tag_of(std::int64_t (*get)(const Call&), const std::string& name) {
    bool of_any = false;
    for (std::size_t rank = 0; rank < there_.size(); ++rank)
      of_any = of_any || (there_[rank] && get(step_.calls[rank]) == any);
    return of_any ? "MPI_ANY_TAG" : value(name, get);
  }

  std::string comm() {
    return "comm[" + value("comm", [](const Call& c) { return std::int64_t{c.comm}; }) + "]";
  }
  std::string bytes() {
    Values values;
    std::vector<bool> matters = there_;
    for (std::size_t rank = 0; rank < there_.size(); ++rank) {
      const Call& call = step_.calls[rank];
      values.push_back(call.bytes);
      if (sends(call.function) && call.peer == none) matters[rank] = false;
    }
    return value("bytes", values, matters);
  }
  std::string slot() {
    return value("slot", [](const Call& c) { return std::int64_t{c.slot}; });
  }
  std::string to() {
    return peer(
        "peer", [](const Call& c) { return std::int64_t{c.peer}; }, "MPI_ANY_SOURCE");
  }
  std::string from() {
    return peer(
        "source", [](const Call& c) { return std::int64_t{c.source}; }, "MPI_ANY_SOURCE");
  }
  std::string root() {
    return value("root", [](const Call& c) { return std::int64_t{c.peer}; });
  }

  // Elements of reductions keep their sizes: the steps of a reduction depend on their number.
  std::string elements() {
    const Element& element = element_of_all();
    Values counts;
    for (const Call& call : step_.calls) counts.push_back(call.bytes / element.bytes);
    return value("count", counts, there_) + ", " + element.type + ", " + element.operation;
  }
  const Element& element_of_all() const {
    for (const Call& call : step_.calls)
      if (call.function != Function::nothing && call.unit != 1) return element_of(call.unit);
    return element_of(1);
  }

  // Numbers for each member, from `first` of the list on, as many as there are ranks.
  std::string list(const std::string& name, std::size_t part, std::size_t parts, std::int64_t unit = 1) {
    const auto row_of = [&](const std::vector<std::int64_t>& numbers) {
      const std::size_t length = numbers.size() / parts;
      std::string row;
      for (std::size_t i = 0; i < there_.size(); ++i)
        row += (i > 0 ? ", " : "") + std::to_string(i < length ? numbers[part * length + i] / unit : 0);
      return row;
    };
    // Ranks without a list do not use it: of a gather only the root does.
    const Call* only = nullptr;
    bool same = true;
    for (const Call& call : step_.calls) {
      if (call.list.empty()) continue;
      if (!only) only = &call;
      same = same && call.list == only->list;
    }
    if (same) {
      table("int", name, row_of(only ? only->list : std::vector<std::int64_t>()));
      return name + suffix_;
    }
    std::vector<std::string> rows;
    for (const Call& call : step_.calls) rows.push_back(row_of(call.list));
    std::string all;
    for (std::size_t i = 0; i < rows.size(); ++i) all += (i > 0 ? ", {" : "{") + rows[i] + "}";
    table("int", name, all, "[ranks][ranks]");
    return name + suffix_ + "[rank]";
  }

  std::string wait_text() {
    std::size_t most = 0;
    bool same = true;
    const Call* first = nullptr;
    for (std::size_t rank = 0; rank < there_.size(); ++rank) {
      if (!there_[rank]) continue;
      if (!first) first = &step_.calls[rank];
      same = same && step_.calls[rank].list == first->list;
      most = std::max(most, step_.calls[rank].list.size());
    }
    if (most == 0) return {};
    if (same) {
      const auto& slots = first->list;
      if (slots.size() == 1)
        return "MPI_Wait(&request[" + std::to_string(slots[0]) + "], MPI_STATUS_IGNORE);";
      if (slots.back() - slots.front() == static_cast<std::int64_t>(slots.size()) - 1 &&
          std::is_sorted(slots.begin(), slots.end()))
        return "MPI_Waitall(" + std::to_string(slots.size()) + ", request" +
               (slots[0] > 0 ? " + " + std::to_string(slots[0]) : std::string()) + ", MPI_STATUSES_IGNORE);";
    }
    std::string all;
    for (std::size_t rank = 0; rank < there_.size(); ++rank) {
      all += rank > 0 ? ", {" : "{";
      for (std::size_t i = 0; i < most; ++i)
        all += (i > 0 ? ", " : "") +
               std::to_string(i < step_.calls[rank].list.size() ? step_.calls[rank].list[i] : -1);
      all += "}";
    }
    const std::string length = std::to_string(most);
    table("int", "wait", all, "[ranks][" + length + "]");
    return "wait_for(" + length + ", wait" + suffix_ + "[rank]);";
  }

  std::string call_text();
  std::string collective_text();

  const Step& step_;
  const Times& times_;
  const std::string suffix_;
  std::string& tables_;
  std::vector<bool> there_;
};

const char* mpi_name(Function function) {
  switch (function) {
    case Function::send:
      return "MPI_Send";
    case Function::bsend:
      return "MPI_Send";  // without a buffer of its own its time is equal
    case Function::ssend:
      return "MPI_Ssend";
    case Function::rsend:
      return "MPI_Send";
    case Function::isend:
      return "MPI_Isend";
    case Function::ibsend:
      return "MPI_Isend";
    case Function::issend:
      return "MPI_Issend";
    case Function::irsend:
      return "MPI_Isend";
    default:
      return "";
  }
}

std::string Writing::call_text() {
  const Function f = step_.function();
  if (is_blocking_send(f))
    return std::string(mpi_name(f)) + "(out, " + bytes() + ", MPI_BYTE, " + to() + ", " + tag() + ", " +
           comm() + ");";
  if (is_started_send(f))
    return std::string(mpi_name(f)) + "(out, " + bytes() + ", MPI_BYTE, " + to() + ", " + tag() + ", " +
           comm() + ", &request[" + slot() + "]);";
  if (f == Function::recv)
    return "MPI_Recv(in, largest, MPI_BYTE, " + to() + ", " + tag() + ", " + comm() + ", MPI_STATUS_IGNORE);";
  if (f == Function::irecv) {
    const std::string where = slot();
    return "MPI_Irecv(in + (size_t)largest * (1 + " + where + "), largest, MPI_BYTE, " + to() + ", " + tag() +
           ", " + comm() + ", &request[" + where + "]);";
  }
  if (f == Function::sendrecv)
    return "MPI_Sendrecv(out, " + bytes() + ", MPI_BYTE, " + to() + ", " + tag() +
           ", in, largest, MPI_BYTE, " + from() + ", " +
           tag_of([](const Call& c) { return std::int64_t{c.source_tag}; }, "source_tag") + ", " + comm() +
           ", MPI_STATUS_IGNORE);";
  if (f == Function::wait) return wait_text();
  if (f == Function::communicator) {
    const std::string made = slot();
    const std::string colour = value("colour", [](const Call& c) { return std::int64_t{c.peer}; });
    bool all = true;
    for (const Call& call : step_.calls) all = all && call.peer >= 0;
    return "MPI_Comm_split(" + comm() + ", " + (all ? colour : colour + " < 0 ? MPI_UNDEFINED : " + colour) +
           ", " + value("key", [](const Call& c) { return std::int64_t{c.tag}; }) + ", &comm[" + made + "]);";
  }
  if (f == Function::free_communicator) return "MPI_Comm_free(&comm[" + slot() + "]);";
  return collective_text();
}

std::string Writing::collective_text() {
  const Function f = step_.function();
  const std::string where = f == Function::nothing || f == Function::finalize ? "" : comm();
  const auto each = [&] { return bytes() + ", MPI_BYTE"; };
  switch (f) {
    case Function::barrier:
      return "MPI_Barrier(" + where + ");";
    case Function::bcast:
      return "MPI_Bcast(out, " + each() + ", " + root() + ", " + where + ");";
    case Function::reduce:
      return "MPI_Reduce(out, in, " + elements() + ", " + root() + ", " + where + ");";
    case Function::allreduce:
      return "MPI_Allreduce(out, in, " + elements() + ", " + where + ");";
    case Function::scan:
      return "MPI_Scan(out, in, " + elements() + ", " + where + ");";
    case Function::exscan:
      return "MPI_Exscan(out, in, " + elements() + ", " + where + ");";
    case Function::reduce_scatter_block:
      return "MPI_Reduce_scatter_block(out, in, " + elements() + ", " + where + ");";
    case Function::reduce_scatter: {
      const Element& element = element_of_all();
      return "MPI_Reduce_scatter(out, in, " + list("counts", 0, 1, element.bytes) + ", " + element.type +
             ", " + element.operation + ", " + where + ");";
    }
    case Function::gather: {
      const std::string size = each();
      return "MPI_Gather(out, " + size + ", in, " + size + ", " + root() + ", " + where + ");";
    }
    case Function::scatter: {
      const std::string size = each();
      return "MPI_Scatter(out, " + size + ", in, " + size + ", " + root() + ", " + where + ");";
    }
    case Function::allgather: {
      const std::string size = each();
      return "MPI_Allgather(out, " + size + ", in, " + size + ", " + where + ");";
    }
    case Function::alltoall: {
      const std::string size = each();
      return "MPI_Alltoall(out, " + size + ", in, " + size + ", " + where + ");";
    }
    default:
      break;
  }
  const std::string places = "behind(size_of(" + where + "), ";
  if (f == Function::gatherv || f == Function::scatterv) {
    // At the root the list contains the size of its own part.
    const std::string counts = list("counts", 0, 1), size = each(),
                      of = counts + ", " + places + counts + "), MPI_BYTE";
    const std::string mine =
        "rank_in(" + where + ") == " + root() + " ? " + counts + "[" + root() + "] : " + size;
    if (f == Function::gatherv)
      return "MPI_Gatherv(out, " + mine + ", in, " + of + ", " + root() + ", " + where + ");";
    return "MPI_Scatterv(out, " + of + ", in, " + mine + ", " + root() + ", " + where + ");";
  }
  if (f == Function::allgatherv) {
    const std::string counts = list("counts", 0, 1);
    return "MPI_Allgatherv(out, " + counts + "[rank_in(" + where + ")], MPI_BYTE, in, " + counts + ", " +
           places + counts + "), MPI_BYTE, " + where + ");";
  }
  if (f == Function::alltoallv) {
    const std::string sent = list("sent", 0, 2), received = list("received", 1, 2);
    return "MPI_Alltoallv(out, " + sent + ", " + places + sent + "), MPI_BYTE, in, " + received + ", " +
           places + received + "), MPI_BYTE, " + where + ");";
  }
  return {};  // finalize: only the work before it counts
}

}  // namespace

std::vector<std::string> step_text(const Step& step, int number, const Times& times, std::string& tables) {
  return Writing(step, number, times, tables).lines();
}

}  // namespace emu::skeleton
