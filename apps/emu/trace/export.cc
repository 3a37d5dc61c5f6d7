#include "trace/export.h"

#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

namespace emu::app {
namespace {

using analysis::Event;
using record::Record;

// An output file. Errors are reported at its end.
class Output {
 public:
  explicit Output(const std::string& path)
      : path_(path == "-" ? "standard output" : path),
        file_(path == "-" ? ::fdopen(::dup(STDOUT_FILENO), "wb") : std::fopen(path.c_str(), "wb")) {
    if (!file_) error_ = errno;
  }
  ~Output() {
    if (file_) std::fclose(file_);
  }
  Output(const Output&) = delete;

  void write(const std::string& text) {
    if (file_ && std::fwrite(text.data(), 1, text.size(), file_) != text.size() && !error_) error_ = errno;
  }
  Result<void> close() {
    if (file_ && std::fclose(file_) != 0 && !error_) error_ = errno;
    file_ = nullptr;
    if (error_) return fail(path_ + ": cannot be written: " + std::strerror(error_));
    return {};
  }

 private:
  const std::string path_;
  std::FILE* file_;
  int error_ = 0;
};

// Whole picoseconds as a decimal number of units of 10^digits picoseconds.
std::string decimal(std::int64_t ps, int digits) {
  std::int64_t unit = 1;
  for (int i = 0; i < digits; ++i) unit *= 10;
  char text[48];
  std::snprintf(text, sizeof text, "%" PRId64 ".%0*" PRId64, ps / unit, digits, ps % unit);
  return text;
}

std::string json_text(std::string_view text) {
  return nlohmann::json(std::string(text)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// The sender's record of a received message; null if it is missing.
const analysis::SentMessage* sender_of(const analysis::History& history, const record::Envelope& m) {
  return history.find(record::Hop(m.peer, m.sequence));
}

}  // namespace

// The JSON library makes only texts: `ts` is in microseconds, of which picoseconds are exact as decimals only, and
// the library has only doubles and whole numbers. Written event by event, so that a trace need not fit into memory.
// A rank's memory has its own track, because operations of other ranks arrive while the rank does something else.
Result<void> write_perfetto(const analysis::Folder& folder, const analysis::History& history,
                            const std::string& path) {
  Output out(path);
  out.write("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"program\":" + json_text(folder.program()) +
            ",\"target\":" + json_text(folder.target()) + "},\"traceEvents\":[\n");
  std::string before;
  std::uint64_t flow = 0;
  std::set<int> served;  // ranks whose memory has its own track
  for (int rank = 0; rank < folder.ranks(); ++rank) {
    std::string call;
    const std::string where = ",\"pid\":" + std::to_string(rank) + ",\"tid\":0";
    const auto put = [&](const std::string& text) {
      out.write(before + "{" + text + "}");
      before = ",\n";
    };
    const auto at = [&](const char* phase, std::int64_t ps, const std::string& on,
                        const std::string& more = "") {
      put(std::string("\"ph\":\"") + phase + "\",\"ts\":" + decimal(ps, 6) + on + more);
    };
    put("\"ph\":\"M\",\"name\":\"process_name\"" + where + ",\"args\":{\"name\":\"rank " +
        std::to_string(rank) + "\"}");
    put("\"ph\":\"M\",\"name\":\"process_sort_index\"" + where +
        ",\"args\":{\"sort_index\":" + std::to_string(rank) + "}");
    std::vector<bool> open;  // slices: of a call, or of an interval
    const auto read = folder.visit(rank, [&](const Event& e) {
      const std::int64_t now = e.now.picoseconds();
      each_down(e, [&](Instant from, Instant until) {
        at("B", from.picoseconds(), where, ",\"cat\":\"node\",\"name\":\"node down\"");
        at("E", until.picoseconds(), where);
      });
      if (e.kind == Record::enter) call = json_text(e.name);
      if (e.kind == Record::enter || e.kind == Record::begin) {
        open.push_back(true);
        at("B", now, where,
           ",\"cat\":\"" + std::string(e.kind == Record::enter ? "MPI" : "interval") +
               "\",\"name\":" + json_text(e.name));
      } else if ((e.kind == Record::leave || e.kind == Record::end) && !open.empty()) {
        open.pop_back();
        at("E", now, where);
      } else if (e.kind == Record::received && record::carries_data(e.message.kind)) {
        const analysis::SentMessage* sent = sender_of(history, e.message);
        if (!sent) return;
        const std::string id = ",\"cat\":\"message\",\"name\":\"message\",\"id\":" + std::to_string(flow++);
        at("s", sent->begin.picoseconds(), ",\"pid\":" + std::to_string(e.message.peer) + ",\"tid\":0", id);
        at("f", e.met.picoseconds(), where,
           id + ",\"bp\":\"e\",\"args\":{\"bytes\":" + std::to_string(e.message.bytes) +
               ",\"tag\":" + std::to_string(e.message.tag) + "}");
      } else if (e.kind == Record::operated) {
        const std::string memory = ",\"pid\":" + std::to_string(e.message.peer) + ",\"tid\":1";
        if (served.insert(e.message.peer).second)
          put("\"ph\":\"M\",\"name\":\"thread_name\"" + memory + ",\"args\":{\"name\":\"memory\"}");
        const std::int64_t there = (e.now + e.flight).picoseconds();
        at("X", there, memory,
           ",\"dur\":0,\"cat\":\"memory\",\"name\":" + call + ",\"args\":{\"rank\":" + std::to_string(rank) +
               ",\"bytes\":" + std::to_string(e.message.bytes) + "}");
        const std::string id =
            ",\"cat\":\"operation\",\"name\":\"operation\",\"id\":" + std::to_string(flow++);
        at("s", e.met.picoseconds(), where, id);
        at("f", there, memory, id + ",\"bp\":\"e\"");
      }
    });
    if (!read) return tl::unexpected(read.error());
    for (; !open.empty(); open.pop_back())
      at("E", history.ranks[static_cast<std::size_t>(rank)].finish.picoseconds(), where);
  }
  out.write("\n]}\n");
  return out.close();
}

}  // namespace emu::app
