// OTF2 writer, by the library of its authors.
//
// Times are in picoseconds. Regions are the program as a whole, in it the intervals that it names, MPI calls,
// "compute" between them, and "node down" in any of these. A message is an MpiSend at the start of its overhead,
// and an MpiRecv at the completion of the receive, also for a handshake and a collective operation; both have
// the attribute "message", its number among all messages of the sender, by which they match. Receivers and
// senders are ranks of MPI_COMM_WORLD: a record does not contain the members of a communicator. An operation on another
// rank's memory is an RmaPut, RmaGet or RmaAtomic at the end of its overhead, and, if it has a result, an
// RmaOpCompleteRemote at the result's arrival; of locks only the calls are shown.
#include <otf2/otf2.h>

#include <filesystem>
#include <map>
#include <set>

#include "analysis/state.h"
#include "common/output.h"
#include "trace/export.h"
#include "trace/otf2_definitions.h"

namespace emu::app {
namespace fs = std::filesystem;
namespace {

using analysis::Event;
using analysis::State;
using otf2::Definitions;
using otf2::Known;
using otf2::message_attribute;
using otf2::Outcome;
using record::Record;

// The request of the handshake of each data message: the received message is the request's.
class Handshakes {
 public:
  using Message = std::pair<int, std::uint64_t>;  // rank and sequence
  struct Start {
    std::uint64_t context = 0;
    int tag = 0;
    std::uint64_t sequence = 0;
    int rank = 0;  // that sends
  };

  // The receiver of a request sends the answer next, and the receiver of the answer sends the data. Or the receiver of
  // the request reads the data: it sends them to itself.
  void note(int rank, const Event& e) {
    const record::Envelope& m = e.message;
    if (e.kind == Record::sent) {
      const Message own{rank, m.sequence};
      if (m.kind == record::MessageKind::request) starts_[own] = {m.context, m.tag, m.sequence, rank};
      if (m.kind == record::MessageKind::answer || m.kind == record::MessageKind::data)
        follows_[own] = received_;
    } else if (e.kind == Record::received && record::is_handshake(m.kind)) {
      received_ = {m.peer, m.sequence};
    }
  }
  const Start* start_of(const Message& data) const {
    auto before = follows_.find(data);
    for (int steps = 0; steps < 2 && before != follows_.end(); ++steps) {
      if (const auto start = starts_.find(before->second); start != starts_.end()) return &start->second;
      before = follows_.find(before->second);
    }
    return nullptr;
  }

 private:
  std::map<Message, Start> starts_;
  std::map<Message, Message> follows_;
  Message received_;
};

// Number of bytes of the results of operations, by rank and number of the operation.
using Results = std::map<std::pair<int, std::uint64_t>, std::int64_t>;

// Kind of an operation on memory, by its call. All but RmaPut and RmaGet are RmaAtomic.
bool puts(std::string_view call) { return call.starts_with("MPI_Put") || call.starts_with("MPI_Rput"); }
bool gets(std::string_view call) {
  return call == "MPI_Get" || call == "MPI_Get_c" || call == "MPI_Rget" || call == "MPI_Rget_c";
}
OTF2_RmaAtomicType atomic(std::string_view call) {
  if (call.starts_with("MPI_Compare")) return OTF2_RMA_ATOMIC_TYPE_COMPARE_AND_SWAP;
  const bool brings = !call.starts_with("MPI_Accumulate") && !call.starts_with("MPI_Raccumulate");
  return brings ? OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE : OTF2_RMA_ATOMIC_TYPE_ACCUMULATE;
}

OTF2_FlushType flush_always(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) { return OTF2_FLUSH; }
const OTF2_FlushCallbacks flushing = {&flush_always, nullptr};

// Writer of the events of one rank.
class Events {
 public:
  Events(int rank, OTF2_EvtWriter* writer, const Handshakes& handshakes, const Results& results, Known& known,
         Outcome& check)
      : rank_(rank),
        writer_(writer),
        handshakes_(handshakes),
        results_(results),
        known_(known),
        check_(check) {}

  void begin(const std::string& program) { enter(Instant::start(), Known::interval, program); }
  void operator()(const Event& e) {
    const bool start = e.kind == Record::sent && record::begins_send(e.message.kind);
    bool sent = false;
    analysis::stretches(e, [&](State state, Instant from, Instant until) {
      if (start && !sent && from >= e.met) {
        send(e);
        sent = true;
      }
      if (state != State::compute && state != State::down) return;
      const bool down = state == State::down;
      enter(from, down ? Known::down : Known::compute, down ? "node down" : "compute");
      leave(until);
    });
    if (start && !sent) send(e);
    last_ = e.now;
    if (e.kind == Record::enter) call_ = e.name;
    if (e.kind == Record::enter) enter(e.now, Known::call, e.name);
    if (e.kind == Record::begin) enter(e.now, Known::interval, e.name);
    if (e.kind == Record::finish) enter(e.now, Known::call, "MPI_Finalize");
    if ((e.kind == Record::leave || e.kind == Record::end) && open_.size() > 1) leave(e.now);
    if (e.kind == Record::received && e.message.kind == record::MessageKind::eager)
      receive(e, {e.message.context, e.message.tag, e.message.sequence, e.message.peer});
    if (e.kind == Record::received && e.message.kind == record::MessageKind::data)
      if (const auto* start = handshakes_.start_of({e.message.peer, e.message.sequence})) receive(e, *start);
    if (e.kind == Record::operated && e.message.operation == record::OperationKind::act) operate(e);
    if (e.kind == Record::answered && operations_.contains(e.message.sequence))
      check_(OTF2_EvtWriter_RmaOpCompleteRemote(writer_, nullptr, stamp(e.now),
                                                known_.window(e.message.context), e.message.sequence));
  }
  void end() {
    while (!open_.empty()) leave(last_);
  }
  Instant last() const { return last_; }

 private:
  static OTF2_TimeStamp stamp(Instant t) { return static_cast<OTF2_TimeStamp>(t.picoseconds()); }
  void enter(Instant at, Known::Kind kind, std::string_view name) {
    const OTF2_RegionRef region = known_.region(kind, name);
    check_(OTF2_EvtWriter_Enter(writer_, nullptr, stamp(at), region));
    open_.push_back(region);
  }
  void leave(Instant at) {
    check_(OTF2_EvtWriter_Leave(writer_, nullptr, stamp(at), open_.back()));
    open_.pop_back();
  }
  void send(const Event& e) {
    const record::Envelope& m = e.message;
    OTF2_AttributeList* const attributes = numbered(m.sequence);
    check_(OTF2_EvtWriter_MpiSend(writer_, attributes, stamp(e.met), static_cast<std::uint32_t>(m.peer),
                                  known_.comm(m.context), static_cast<std::uint32_t>(m.tag),
                                  static_cast<std::uint64_t>(m.bytes)));
  }
  void receive(const Event& e, const Handshakes::Start& start) {
    OTF2_AttributeList* const attributes = numbered(start.sequence);
    check_(OTF2_EvtWriter_MpiRecv(writer_, attributes, stamp(e.now), static_cast<std::uint32_t>(start.rank),
                                  known_.comm(start.context), static_cast<std::uint32_t>(start.tag),
                                  static_cast<std::uint64_t>(e.message.bytes)));
  }
  void operate(const Event& e) {
    const record::Envelope& m = e.message;
    operations_.insert(m.sequence);
    const auto to = static_cast<std::uint32_t>(m.peer);
    const auto carried = static_cast<std::uint64_t>(m.bytes);
    const auto result = results_.find({rank_, m.sequence});
    const auto brought = result == results_.end() ? 0 : static_cast<std::uint64_t>(result->second);
    const OTF2_RmaWinRef window = known_.window(m.context);
    if (puts(call_))
      check_(OTF2_EvtWriter_RmaPut(writer_, nullptr, stamp(e.now), window, to, carried, m.sequence));
    else if (gets(call_))
      check_(OTF2_EvtWriter_RmaGet(writer_, nullptr, stamp(e.now), window, to, brought, m.sequence));
    else
      check_(OTF2_EvtWriter_RmaAtomic(writer_, nullptr, stamp(e.now), window, to, atomic(call_), carried,
                                      brought, m.sequence));
  }
  OTF2_AttributeList* numbered(std::uint64_t sequence) {
    check_(OTF2_AttributeList_AddUint64(attributes_.get(), message_attribute, sequence));
    return attributes_.get();  // written events empty it
  }

  const int rank_;
  OTF2_EvtWriter* const writer_;
  const Handshakes& handshakes_;
  const Results& results_;
  Known& known_;
  Outcome& check_;
  struct Delete {
    void operator()(OTF2_AttributeList* list) const { OTF2_AttributeList_Delete(list); }
  };
  std::unique_ptr<OTF2_AttributeList, Delete> attributes_{OTF2_AttributeList_New()};
  std::vector<OTF2_RegionRef> open_;
  std::string call_;                    // current call
  std::set<std::uint64_t> operations_;  // operations on memory
  Instant last_;
};

// Writes everything between opening and closing. Errors of the library go to `check`, those of the trace are returned.
Result<void> fill(OTF2_Archive* archive, const analysis::Folder& folder, Outcome& check) {
  check(OTF2_Archive_SetFlushCallbacks(archive, &flushing, nullptr));
  check(OTF2_Archive_SetSerialCollectiveCallbacks(archive));
  check(OTF2_Archive_OpenEvtFiles(archive));
  Handshakes handshakes;
  Results results;
  for (int rank = 0; rank < folder.ranks(); ++rank) {
    const auto read = folder.visit(rank, [&](const Event& e) {
      handshakes.note(rank, e);
      if (e.kind == Record::answered) results[{rank, e.message.sequence}] = e.message.bytes;
    });
    if (!read) return tl::unexpected(read.error());
  }
  Known known;
  known.comm(2);  // MPI_COMM_WORLD
  std::vector<std::uint64_t> counts;
  Instant end;
  for (int rank = 0; rank < folder.ranks() && check.error().empty(); ++rank) {
    OTF2_EvtWriter* const writer = OTF2_Archive_GetEvtWriter(archive, static_cast<std::uint64_t>(rank));
    if (!writer) return fail("no events can be written");
    Events events(rank, writer, handshakes, results, known, check);
    events.begin(folder.program());
    const auto read = folder.visit(rank, std::ref(events));
    if (!read) return tl::unexpected(read.error());
    events.end();
    end = std::max(end, events.last());
    counts.emplace_back();
    check(OTF2_EvtWriter_GetNumberOfEvents(writer, &counts.back()));
    check(OTF2_Archive_CloseEvtWriter(archive, writer));
  }
  check(OTF2_Archive_CloseEvtFiles(archive));
  // Numbers have the same meaning on all ranks, but readers require these files.
  check(OTF2_Archive_OpenDefFiles(archive));
  for (std::size_t rank = 0; rank < counts.size(); ++rank)
    if (OTF2_DefWriter* const writer = OTF2_Archive_GetDefWriter(archive, rank))
      check(OTF2_Archive_CloseDefWriter(archive, writer));
  check(OTF2_Archive_CloseDefFiles(archive));
  OTF2_GlobalDefWriter* const writer = OTF2_Archive_GetGlobalDefWriter(archive);
  if (!check.error().empty() || !writer) return {};
  Definitions definitions(writer, check);
  definitions.time(end);
  definitions.places(folder, counts);
  definitions.regions(known.regions);
  definitions.communicators(static_cast<std::uint32_t>(folder.ranks()), known.contexts);
  definitions.windows(known);
  return {};
}

// True for a file of an archive written here.
bool part_of_archive(const fs::path& file) {
  const std::string name = file.filename();
  return name == "traces" || name == "traces.otf2" || name == "traces.def";
}

}  // namespace

Result<void> can_write_otf2(const std::string& path) {
  if (const auto named = names_folder({"--otf2", path}); !named) return named;
  std::error_code error;
  if (!fs::exists(path, error)) return {};
  if (!fs::is_directory(path, error)) return fail("--otf2: " + path + ": not a folder");
  for (const fs::directory_entry& entry : fs::directory_iterator(path, error))
    if (!part_of_archive(entry.path()))
      return fail("--otf2: the folder " + path + " holds other files (" + entry.path().filename().string() +
                  "); name a new one");
  if (error) return fail("--otf2: the folder " + path + " cannot be read: " + error.message());
  return {};
}

Result<void> write_otf2(const analysis::Folder& folder, const analysis::History&, const std::string& path) {
  std::error_code error;
  for (const char* part : {"traces", "traces.otf2", "traces.def"})
    fs::remove_all(fs::path(path) / part, error);
  fs::create_directories(path, error);
  if (error) return fail(path + ": cannot be made: " + error.message());
  Outcome check;
  OTF2_Archive* const archive = OTF2_Archive_Open(path.c_str(), "traces", OTF2_FILEMODE_WRITE, 1 << 20,
                                                  4 << 20, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  if (!archive) return fail(path + ": cannot be written: " + check.error());
  const auto filled = fill(archive, folder, check);
  check(OTF2_Archive_Close(archive));
  if (!filled) return filled;
  if (!check.error().empty()) return fail(path + ": cannot be written: " + check.error());
  return {};
}

}  // namespace emu::app
