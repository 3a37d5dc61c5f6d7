#include "calibrate/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <regex>
#include <sstream>
#include <utility>

#include "base/cells.h"
#include "base/number.h"
#include "calibrate/platform.h"

namespace emu::app::calibration {
namespace {

const std::vector<std::string> kinds = {"half_roundtrip", "send",   "receive", "stream",
                                        "poll",           "reduce", "copy"};

std::optional<double> number(const std::string& text) { return read_number<double>(text, 0); }

std::vector<std::string> words(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> result;
  for (std::string word; in >> word;) result.push_back(word);
  return result;
}

// "# OSU MPI-CUDA Latency Test v7.3": the heading names no operation, not two directions and not several pairs.
bool one_way_between_two_ranks(const std::string& heading) {
  for (const std::string& word : words(heading)) {
    if (word == "Test") break;
    if (word.starts_with("MPI") && word.find('_') == std::string::npos) continue;
    if (word != "#" && word != "OSU" && word != "Latency" && word != "Bandwidth" && word != "Persistent")
      return false;
  }
  return true;
}

bool names_a_test(const std::string& line) {
  return line.find("OSU ") != std::string::npos ||
         (line.find(" Test") != std::string::npos &&
          (line.find("Latency") != std::string::npos || line.find("Bandwidth") != std::string::npos));
}

// A line without the label of its rank, which launchers write on request: `srun -l` "0: ", `mpirun -prepend-rank` of
// MPICH "[0] ", `mpirun --tag-output` of Open MPI "[1,0]<stdout>:".
std::string without_rank(const std::string& line) {
  static const std::regex label(R"(^\s*([0-9]+:(\s|$)|\[[0-9]+\](\s|$)|\[[^\]]*[0-9]+,[0-9]+\]<stdout>:))");
  return std::regex_replace(line, label, "");
}

// Contents of a file of the format, for messages.
std::string expected(Format format) {
  switch (format) {
    case Format::csv:
      return "lines kind,bytes,seconds";
    case Format::osu:
      return "a table of osu_latency or osu_bw below its heading \"# OSU MPI Latency Test\" or \"# OSU MPI "
             "Bandwidth Test\"";
    case Format::imb:
      return "a table below \"# Benchmarking PingPong\"";
    case Format::netgauge:
      return "the table of the pattern one_one or loggp, or rows of bytes and microseconds";
    case Format::smpi:
      break;
  }
  return "a platform file";
}

class Reader {
 public:
  Reader(Imported& all, const std::string& name, Format format) : all_(all), name_(name), format_(format) {}

  Result<void> read(const std::string& text) {
    std::istringstream in{std::string(without_mark(text))};
    std::string line;
    while (std::getline(in, line)) {
      ++line_;
      if (format_ != Format::csv) line = without_rank(line);
      const auto begin = line.find_first_not_of(" \t\r");
      if (begin == std::string::npos) continue;
      const auto done = take(line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin));
      if (!done) return done;
    }
    if (count_ == 0)
      return fail(name_ + ": holds no measurements of the format " +
                  format_names[static_cast<std::size_t>(format_)] + " (expected " + expected(format_) + ")");
    return {};
  }

 private:
  tl::unexpected<Failure> wrong(const std::string& what) const {
    return fail(name_ + ":" + std::to_string(line_) + ": " + what);
  }

  // A line without blanks around it.
  Result<void> take(const std::string& line) {
    switch (format_) {
      case Format::csv:
        return csv(line);
      case Format::osu:
        return osu(line);
      case Format::imb:
        return imb(line);
      case Format::netgauge:
        return netgauge(line);
      case Format::smpi:
        break;
    }
    return {};
  }

  void add(const std::string& kind, double bytes, double seconds) {
    if (seconds <= 0) return;  // below the resolution of the clock
    all_.points[kind].push_back({std::max(bytes, 1.0), seconds});
    ++count_;
  }

  void begin_table(const std::string& kind) {
    kind_ = kind;
    ++table_;
  }

  // Tables of one kind are usually repeated runs. If they are far apart, they may be of other nodes.
  void add_of_table(double bytes, double seconds) {
    add(kind_, bytes, seconds);
    const auto [known, first] = earlier_.try_emplace({kind_, bytes}, table_, seconds);
    const auto& [table, before] = known->second;
    if (first || table == table_ || !all_.warnings.empty() || seconds <= 0 || before <= 0) return;
    if (std::max(seconds / before, before / seconds) > 2)
      all_.warnings.push_back(
          fmt::format("{}:{}: {} B took {:.3g} us, and in an earlier table {:.3g} us; the target has the "
                      "median of both",
                      name_, line_, bytes, seconds * 1e6, before * 1e6));
  }

  Result<void> csv(const std::string& line) {
    if (line.starts_with('#')) return {};
    if (separator_ == 0) separator_ = separator(line);
    const auto parts = cells(line, separator_);
    if (parts[0].empty()) return {};
    if (parts[0] == "kind") {
      if (parts == std::vector<std::string>{"kind", "bytes", "seconds"}) return {};
      return wrong("unknown titles: \"" + line + "\" (expected kind,bytes,seconds)");
    }
    if (parts.size() != 3) return wrong("expected three values: kind,bytes,seconds");
    if (std::find(kinds.begin(), kinds.end(), parts[0]) == kinds.end()) {
      std::string known;
      for (const std::string& kind : kinds) known += (known.empty() ? "" : ", ") + kind;
      return wrong("unknown kind of measurement: \"" + parts[0] + "\" (expected one of " + known + ")");
    }
    const auto bytes = number(parts[1]), seconds = number(parts[2]);
    if (!bytes || !seconds)
      return wrong("invalid number: \"" + parts[bytes ? 2 : 1] + "\" (expected 0 or more)");
    add(parts[0], *bytes, *seconds);
    return {};
  }

  // Headings contain the name of the test and the unit: "# OSU MPI Latency Test v7.3", "# Size          Latency (us)".
  Result<void> osu(const std::string& line) {
    if (line.starts_with('#')) {
      if (names_a_test(line)) {
        other_test_ = !one_way_between_two_ranks(line);
        kind_.clear();
      }
      if (other_test_) return {};
      if (line.find("Latency (us)") != std::string::npos || line.find("Avg Latency") != std::string::npos)
        begin_table("half_roundtrip");
      if (line.find("Bandwidth (MB/s)") != std::string::npos) begin_table("stream");
      return {};
    }
    const auto values = words(line);
    if (values.size() < 2 || kind_.empty()) return {};
    const auto bytes = number(values[0]), value = number(values[1]);
    if (!bytes || !value) return {};  // not a row of the table
    if (kind_ == "stream")
      add_of_table(*bytes, *value > 0 ? std::max(*bytes, 1.0) / (*value * 1e6) : 0);
    else
      add_of_table(*bytes, *value * 1e-6);
    return {};
  }

  // "# Benchmarking PingPong", "#bytes #repetitions t[usec] Mbytes/sec"; also as cells, "#bytes,#repetitions,t[usec]".
  Result<void> imb(const std::string& line) {
    const std::string before = "Benchmarking ";
    const auto at = line.find(before);
    if (at != std::string::npos) {
      const auto names = words(line.substr(at + before.size()));
      begin_table(!names.empty() && names[0] == "PingPong" ? "half_roundtrip" : "");
      headed_ = true;
      return {};
    }
    if (line.starts_with("#bytes")) cells_ = line.starts_with("#bytes,");
    const auto values = cells_ ? cells(line, ',') : words(line);
    if (values[0] == "#bytes") {
      const auto title = [&](const char* name) { return std::find(values.begin(), values.end(), name); };
      auto time = title("t[usec]");
      if (!headed_ && time != values.end()) {
        begin_table("half_roundtrip");
        all_.notes.push_back(name_ +
                             ": a table without the line \"# Benchmarking\" was read as one of PingPong");
      }
      if (kind_.empty()) return {};
      if (time == values.end()) time = title("t_avg[usec]");
      if (time == values.end())
        return wrong("PingPong without a time (expected the column t[usec] or t_avg[usec])");
      column_ = static_cast<std::size_t>(time - values.begin());
    }
    if (kind_.empty() || line.find('#') != std::string::npos || values.size() <= column_) return {};
    const auto bytes = number(values[0]), micros = number(values[column_]);
    if (bytes && micros) add_of_table(*bytes, *micros * 1e-6);
    return {};
  }

  // The titles tell the table: statistics of each size by the pattern one_one, parameters by the pattern loggp, or
  // a row for each sample with bytes and microseconds of half a round trip.
  Result<void> netgauge(const std::string& line) {
    std::string plain = line;
    std::replace_if(
        plain.begin(), plain.end(), [](char c) { return c == '(' || c == ')'; }, ' ');
    auto values = words(plain);
    std::erase(values, "-");
    if (values.empty() || !number(values[0])) {
      if (line.find("A  -  B  C") != std::string::npos) titles_ = Titles::one_one;
      if (line.find("PRTT(1,0,s)") != std::string::npos) titles_ = Titles::loggp;
      title_ = line;
      return {};
    }
    const auto micros = [&](std::size_t i) {
      return 1e-6 * (i < values.size() ? number(values[i]).value_or(0) : 0);
    };
    const double bytes = *number(values[0]);
    if (titles_ == Titles::one_one) {  // medians
      add("half_roundtrip", bytes, micros(9));
      add("send", bytes, micros(3));
    } else if (titles_ == Titles::loggp) {  // round trips of 1 and of n messages, and overheads
      add("half_roundtrip", bytes, micros(2) / 2);
      add("send", bytes, micros(6));
      add("receive", bytes, micros(7));
      const double further = micros(1) * 1e6 - 1;
      if (further > 0) add("stream", bytes, (micros(3) - micros(2)) / further);
    } else if (values.size() >= 2 && number(values[1])) {
      if (title_.starts_with('#') && title_.find("ize") == std::string::npos &&
          title_.find("etgauge") == std::string::npos)
        return wrong("a row below \"" + title_ + "\" (expected " + expected(format_) + ")");
      add("half_roundtrip", bytes, micros(1));
    }
    return {};
  }

  enum class Titles { samples, one_one, loggp };

  Imported& all_;
  const std::string name_;
  const Format format_;
  int line_ = 0;
  int count_ = 0;
  int table_ = 0;
  std::map<std::pair<std::string, double>, std::pair<int, double>> earlier_;  // kind, bytes: table, seconds
  std::string kind_;
  char separator_ = 0;      // of cells in CSV
  std::size_t column_ = 2;  // IMB: of the time
  bool headed_ = false;     // IMB: headings name the benchmarks
  bool cells_ = false;      // IMB: commas separate the values
  // OSU: the table is of collectives, one-sided operations, several pairs, or both directions at once.
  bool other_test_ = false;
  Titles titles_ = Titles::samples;
  std::string title_;  // netgauge: the last line that was no row
};

}  // namespace

Result<void> read_into(Imported& all, const std::string& text, const std::string& name, Format format) {
  if (format == Format::smpi) return read_platform(all, text, name);
  return Reader(all, name, format).read(text);
}

}  // namespace emu::app::calibration
