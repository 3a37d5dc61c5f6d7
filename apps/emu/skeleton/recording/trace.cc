#include "skeleton/recording/trace.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "skeleton/recording/encode.h"

namespace emu::skeleton {
namespace {

constexpr std::int64_t longest_message = std::int64_t{1} << 50;
constexpr std::uint64_t longest = 9'000'000'000'000'000'000u;  // greatest gap, in picoseconds

bool fits(std::int64_t value, std::int64_t least, std::int64_t most) {
  return value >= least && value <= most;
}

// Invalid contents of a call lead to an invalid function.
Call take_call(Taker& from, int ranks) {
  Call call;
  const std::uint64_t function = from.number();
  std::int64_t part[8];
  for (std::int64_t& each : part) each = from.signed_number();
  const std::uint64_t length = from.number();
  constexpr std::int64_t most = (std::int64_t{1} << 31) - 1;
  bool good = from.good() && function > 0 && function < static_cast<std::uint64_t>(Function::count_) &&
              length <= from.left() && fits(part[0], 0, most) && fits(part[1], any, ranks - 1) &&
              fits(part[2], any, most) && fits(part[3], 0, longest_message) &&
              fits(part[4], unknown, ranks - 1) && fits(part[5], any, most) && fits(part[6], 1, 1 << 20) &&
              fits(part[7], 0, most);
  if (!good) return {};
  call = {static_cast<Function>(function),
          static_cast<std::int32_t>(part[0]),
          static_cast<std::int32_t>(part[1]),
          static_cast<std::int32_t>(part[2]),
          part[3],
          static_cast<std::int32_t>(part[4]),
          static_cast<std::int32_t>(part[5]),
          static_cast<std::int32_t>(part[6]),
          static_cast<std::int32_t>(part[7]),
          {}};
  call.list.reserve(length);
  for (std::uint64_t i = 0; i < length; ++i) {
    call.list.push_back(from.signed_number());
    good = good && fits(call.list.back(), 0, longest_message);
  }
  return good && from.good() ? call : Call();
}

tl::unexpected<Failure> broken(const std::string& file, const char* what) {
  return fail(file + ": is damaged: " + what + "; record the program once more");
}

Result<void> take_event(Taker& from, bool declared, double speed, RankTrace& to, const std::string& file) {
  const std::uint64_t call = from.number();
  const std::uint64_t work = declared ? from.number() : 0;
  const std::uint64_t gap = from.number(), inside = from.number();
  if (!from.good()) return {};
  if (call >= to.calls.size()) return broken(file, "an event has a call that was not there before");
  if (gap > longest || inside > longest || work > longest)
    return broken(file, "a time is longer than 104 days");
  to.call.push_back(static_cast<std::uint32_t>(call));
  to.work.push_back(
      static_cast<float>(1e-12 * (static_cast<double>(work) + static_cast<double>(gap) * speed)));
  to.inside.push_back(static_cast<float>(1e-12 * static_cast<double>(inside)));
  return {};
}

}  // namespace

Result<RankTrace> parse_trace(std::string_view bytes, const std::string& file, double speed) {
  if (!bytes.starts_with(trace_magic))
    return fail(file + ": not a recording of a rank (emu skeleton record writes them)");
  Taker from(bytes.substr(trace_magic.size()));
  RankTrace trace;
  const std::uint64_t rank = from.number(), ranks = from.number();
  if (!from.good() || ranks < 1 || ranks > most_ranks || rank >= ranks)
    return broken(file, "its rank cannot be");
  trace.rank = static_cast<int>(rank);
  trace.ranks = static_cast<int>(ranks);
  for (;;) {
    const std::uint64_t record = from.number();
    if (!from.good())
      return fail(file + ": has no end after " + std::to_string(trace.size()) +
                  " events: the program did not come to MPI_Finalize, or the file was cut off");
    if (record == end_record) {
      const std::uint64_t seconds = from.number(), work = from.number();
      if (!from.good() || seconds > longest) return broken(file, "its end is cut off");
      trace.seconds = 1e-12 * static_cast<double>(seconds);
      trace.work_per_second = 1e3 * static_cast<double>(work);
      if (from.left() > 0) return broken(file, "there are bytes after its end");
      return trace;
    }
    if (record == call_record) {
      trace.calls.push_back(take_call(from, trace.ranks));
      if (trace.calls.back().function == Function::nothing && from.good())
        return broken(file, "unknown call");
    } else if (record == unknown_record) {
      std::string name(from.letters(from.number()));
      name.erase(
          std::remove_if(name.begin(), name.end(), [](char c) { return !std::isalnum(c) && c != '_'; }),
          name.end());
      if (from.good())
        return fail(file + ": the program calls " + name +
                    ", which a skeleton cannot have; there are messages "
                    "(blocking and not), waits, tests, and blocking collectives");
    } else if (record == event_record || record == declared_record) {
      const auto taken = take_event(from, record == declared_record, speed, trace, file);
      if (!taken) return tl::unexpected(taken.error());
    } else {
      return broken(file, "a record is of no kind that there is");
    }
  }
}

std::string to_text(const RunFacts& facts) {
  std::ostringstream text;
  text.precision(17);
  text << "program " << facts.program << "\n";
  if (!facts.target.empty()) text << "target " << facts.target << "\n";
  if (!facts.speeds.empty()) {
    text << "speeds";
    for (const double speed : facts.speeds) text << " " << speed;
    text << "\n";
  }
  return text.str();
}

Result<RunFacts> parse_facts(std::string_view text, const std::string& file) {
  RunFacts facts;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    const std::size_t end = std::min(line.find(' '), line.size());
    const std::string key = line.substr(0, end), value = line.substr(std::min(end + 1, line.size()));
    if (key == "program") {
      facts.program = value;
    } else if (key == "target") {
      facts.target = value;
    } else if (key == "speeds") {
      std::istringstream numbers(value);
      for (double speed; numbers >> speed;) facts.speeds.push_back(speed);
      for (const double speed : facts.speeds)
        if (!(speed > 0 && speed < 1e9)) return fail(file + ": a rank's speed is not above 0");
    } else {
      return fail(file + ": a line begins with \"" + key + "\"; program, target and speeds are known");
    }
  }
  return facts;
}

double Recording::seconds() const {
  double most = 0;
  for (const RankTrace& rank : ranks) most = std::max(most, rank.seconds);
  return most;
}

std::size_t Recording::events() const {
  std::size_t sum = 0;
  for (const RankTrace& rank : ranks) sum += rank.size();
  return sum;
}

namespace {

Result<std::string> contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return fail(path + ": cannot be read");
  std::ostringstream all;
  all << in.rdbuf();
  return std::move(all).str();
}

}  // namespace

Result<Recording> read_recording(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  const std::string first = folder + "/rank.0";
  if (!fs::is_regular_file(first, error))
    return fail(folder + ": not a recording: it has no file rank.0 (emu skeleton record writes one)");
  Recording recording;
  if (fs::exists(folder + "/run", error)) {
    const auto text = contents(folder + "/run");
    if (!text) return tl::unexpected(text.error());
    auto facts = parse_facts(*text, folder + "/run");
    if (!facts) return tl::unexpected(facts.error());
    recording.facts = std::move(*facts);
  }
  const auto& speeds = recording.facts.speeds;
  for (int rank = 0, ranks = 1; rank < ranks; ++rank) {
    const std::string file = folder + "/rank." + std::to_string(rank);
    const auto bytes = contents(file);
    if (!bytes)
      return fail(bytes.error().message + ", but " + first + " says that there were " +
                  std::to_string(ranks) + " ranks");
    auto trace = parse_trace(
        *bytes, file,
        static_cast<std::size_t>(rank) < speeds.size() ? speeds[static_cast<std::size_t>(rank)] : 1);
    if (!trace) return tl::unexpected(trace.error());
    if (rank == 0) ranks = trace->ranks;
    if (trace->rank != rank || trace->ranks != ranks)
      return fail(file + ": says that it is rank " + std::to_string(trace->rank) + " of " +
                  std::to_string(trace->ranks) + ", where rank 0 says that there are " +
                  std::to_string(ranks) + "; the files are of two runs");
    recording.ranks.push_back(std::move(*trace));
  }
  return recording;
}

}  // namespace emu::skeleton
