// OTF2, by the library of its authors.
//
// Times are in picoseconds. Regions are the program as a whole, in it the intervals that it names, MPI calls,
// "compute" between them, and "node down" in any of these. A message is an MpiSend where its overhead begins,
// and an MpiRecv where the receive is complete, also of a handshake and of a collective operation; both carry
// the attribute "message", its number among all that the sender sent, by which they match. Receivers and
// senders are ranks of MPI_COMM_WORLD: a record does not tell who is in a communicator. An operation on another
// rank's memory is an RmaPut, RmaGet or RmaAtomic where its overhead ends, and where its result is here, if it has one,
// an RmaOpCompleteRemote; of locks only the calls are shown.
#include <otf2/otf2.h>

#include <cstdarg>
#include <filesystem>
#include <map>
#include <set>
#include <unordered_map>

#include "analysis/profile.h"
#include "analysis/state.h"
#include "trace/export.h"

namespace emu::app {
namespace fs = std::filesystem;
namespace {

using analysis::Event;
using analysis::State;
using record::Record;

// The first thing that went wrong, in the library's words.
class Outcome {
 public:
  Outcome() { before_ = OTF2_Error_RegisterCallback(&Outcome::report, this); }
  ~Outcome() { OTF2_Error_RegisterCallback(before_, nullptr); }
  Outcome(const Outcome&) = delete;

  void operator()(OTF2_ErrorCode code) {
    if (code != OTF2_SUCCESS && error_.empty()) error_ = OTF2_Error_GetDescription(code);
  }
  const std::string& error() const { return error_; }

 private:
  static OTF2_ErrorCode report(void* self, const char*, std::uint64_t, const char*, OTF2_ErrorCode code,
                               const char*, va_list) {
    // Below 0 are warnings, and SUCCESS is none.
    if (code > OTF2_SUCCESS) (*static_cast<Outcome*>(self))(code);
    return code;
  }

  OTF2_ErrorCallback before_;
  std::string error_;
};

// Numbers what definitions refer to, in the order in which they come up.
class Names {
 public:
  std::uint32_t operator()(const std::string& text) {
    const auto [at, added] = numbers_.try_emplace(text, static_cast<std::uint32_t>(numbers_.size()));
    if (added) order_.push_back(text);
    return at->second;
  }
  const std::vector<std::string>& all() const { return order_; }

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<std::string> order_;
};

// Which request of a handshake each data message answers: what is received of it is the request's message.
class Handshakes {
 public:
  using Message = std::pair<int, std::uint64_t>;  // rank and sequence
  struct Start {
    std::uint64_t context = 0;
    int tag = 0;
    std::uint64_t sequence = 0;
  };

  // Whoever receives a request sends the answer next, and who receives that the data.
  void note(int rank, const Event& e) {
    const record::Envelope& m = e.message;
    if (e.kind == Record::sent) {
      const Message own{rank, m.sequence};
      if (m.kind == 1) starts_[own] = {m.context, m.tag, m.sequence};
      if (m.kind == 2 || m.kind == 3) follows_[own] = received_;
    } else if (e.kind == Record::received && (m.kind == 1 || m.kind == 2)) {
      received_ = {m.peer, m.sequence};
    }
  }
  const Start* start_of(const Message& data) const {
    const auto answer = follows_.find(data);
    if (answer == follows_.end()) return nullptr;
    const auto request = follows_.find(answer->second);
    if (request == follows_.end()) return nullptr;
    const auto start = starts_.find(request->second);
    return start == starts_.end() ? nullptr : &start->second;
  }

 private:
  std::map<Message, Start> starts_;
  std::map<Message, Message> follows_;
  Message received_;
};

// How many bytes the results of operations brought, by rank and place among its operations.
using Results = std::map<std::pair<int, std::uint64_t>, std::int64_t>;

// What an operation on memory does, by the call that it belongs to. What is no RmaPut and no RmaGet is an RmaAtomic.
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

constexpr OTF2_AttributeRef message_attribute = 0;

// What events refer to, numbered from 0.
struct Known {
  enum Kind { call, interval, compute, down };  // of regions; part of what tells them apart
  static constexpr const char* kinds = "cipd";
  Names regions, contexts, windows;

  OTF2_RegionRef region(Kind kind, std::string_view name) { return regions(kinds[kind] + std::string(name)); }
  OTF2_CommRef comm(std::uint64_t context) { return contexts(std::to_string(context)); }
  OTF2_RmaWinRef window(std::uint64_t context) {
    comm(context);
    return windows(std::to_string(context));
  }
};

// Writes the events of one rank.
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
    const bool start = e.kind == Record::sent && e.message.kind <= 1;
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
    if (e.kind == Record::received && e.message.kind == 0)
      receive(e, {e.message.context, e.message.tag, e.message.sequence});
    if (e.kind == Record::received && e.message.kind == 3)
      if (const auto* start = handshakes_.start_of({e.message.peer, e.message.sequence})) receive(e, *start);
    if (e.kind == Record::operated && e.message.kind == 0) operate(e);
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
    check_(OTF2_EvtWriter_MpiRecv(writer_, attributes, stamp(e.now),
                                  static_cast<std::uint32_t>(e.message.peer), known_.comm(start.context),
                                  static_cast<std::uint32_t>(start.tag),
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
    return attributes_.get();  // which writing an event empties
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
  std::string call_;                    // at hand
  std::set<std::uint64_t> operations_;  // on memory, so far
  Instant last_;
};

OTF2_RegionRole role_of(const std::string& call) {
  switch (analysis::kind_of(call)) {
    case analysis::Kind::reduction:
    case analysis::Kind::redistribution:
      return OTF2_REGION_ROLE_COLL_OTHER;
    case analysis::Kind::broadcast:
      return OTF2_REGION_ROLE_COLL_ONE2ALL;
    case analysis::Kind::barrier:
      return OTF2_REGION_ROLE_BARRIER;
    case analysis::Kind::set_up:
      return OTF2_REGION_ROLE_FUNCTION;
    default:
      return OTF2_REGION_ROLE_POINT2POINT;
  }
}

// Of a communicator; the messages of its collective operations have a context of their own.
std::string name_of(std::uint64_t context) {
  const std::uint64_t comm = context / 2;
  const std::string name = comm == 1   ? "MPI_COMM_WORLD"
                           : comm == 2 ? "MPI_COMM_SELF"
                                       : "communicator " + std::to_string(comm);
  return name + (context % 2 ? ", collective operations" : "");
}

// What the numbers in the events mean.
class Definitions {
 public:
  Definitions(OTF2_GlobalDefWriter* writer, Outcome& check) : writer_(writer), check_(check) {}

  void time(Instant end) {
    check_(OTF2_GlobalDefWriter_WriteClockProperties(writer_, 1'000'000'000'000, 0,
                                                     static_cast<std::uint64_t>(end.picoseconds()) + 1,
                                                     OTF2_UNDEFINED_TIMESTAMP));
  }
  // One system tree node for the cluster and one for each of its nodes that has ranks.
  void places(const analysis::Folder& folder, const std::vector<std::uint64_t>& events) {
    const OTF2_StringRef node_class = text("node");
    check_(OTF2_GlobalDefWriter_WriteSystemTreeNode(writer_, 0, text(folder.target()), text("cluster"),
                                                    OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    std::map<int, OTF2_SystemTreeNodeRef> nodes;
    for (const analysis::Folder::Location& location : folder.locations()) {
      const auto number = static_cast<OTF2_SystemTreeNodeRef>(nodes.size() + 1);
      if (!nodes.try_emplace(location.node, number).second) continue;
      const OTF2_StringRef name = text("node " + std::to_string(location.node) +
                                       (location.group.empty() ? "" : " (" + location.group + ")"));
      check_(OTF2_GlobalDefWriter_WriteSystemTreeNode(writer_, number, name, node_class, 0));
    }
    for (std::uint32_t rank = 0; rank < events.size(); ++rank) {
      const OTF2_StringRef name = text("rank " + std::to_string(rank));
      const OTF2_SystemTreeNodeRef node = nodes.at(folder.locations()[rank].node);
      check_(OTF2_GlobalDefWriter_WriteLocationGroup(writer_, rank, name, OTF2_LOCATION_GROUP_TYPE_PROCESS,
                                                     node, OTF2_UNDEFINED_LOCATION_GROUP));
      check_(OTF2_GlobalDefWriter_WriteLocation(writer_, rank, name, OTF2_LOCATION_TYPE_CPU_THREAD,
                                                events[rank], rank));
    }
  }
  void regions(const Names& regions) {
    OTF2_RegionRef number = 0;
    for (const std::string& region : regions.all()) {
      const bool call = region[0] == Known::kinds[Known::call];
      const std::string name = region.substr(1);
      const OTF2_StringRef shown = text(name), none = text("");
      OTF2_RegionRole role = OTF2_REGION_ROLE_CODE;
      if (call) role = role_of(name);
      check_(OTF2_GlobalDefWriter_WriteRegion(writer_, number++, shown, shown, none, role,
                                              call ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_USER,
                                              OTF2_REGION_FLAG_NONE, OTF2_UNDEFINED_STRING, 0, 0));
    }
  }
  // Each has a communicator of its own.
  void windows(Known& known) {
    OTF2_RmaWinRef number = 0;
    for (const std::string& context : known.windows.all())
      check_(OTF2_GlobalDefWriter_WriteRmaWin(writer_, number++, text("window " + context),
                                              known.contexts(context), OTF2_RMA_WIN_FLAG_NONE));
  }
  void communicators(std::uint32_t ranks, const Names& contexts) {
    check_(OTF2_GlobalDefWriter_WriteParadigm(writer_, OTF2_PARADIGM_MPI, text("MPI"),
                                              OTF2_PARADIGM_CLASS_PROCESS));
    std::vector<std::uint64_t> all(ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) all[rank] = rank;
    for (const auto& [group, type] :
         {std::pair{0u, OTF2_GROUP_TYPE_COMM_LOCATIONS}, std::pair{1u, OTF2_GROUP_TYPE_COMM_GROUP}})
      check_(OTF2_GlobalDefWriter_WriteGroup(writer_, group, text("MPI_COMM_WORLD"), type, OTF2_PARADIGM_MPI,
                                             OTF2_GROUP_FLAG_NONE, ranks, all.data()));
    OTF2_CommRef number = 0;
    for (const std::string& context : contexts.all())
      check_(OTF2_GlobalDefWriter_WriteComm(writer_, number++, text(name_of(std::stoull(context))), 1,
                                            OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
    check_(OTF2_GlobalDefWriter_WriteAttribute(writer_, message_attribute, text("message"),
                                               text("number among all that the sender sent"),
                                               OTF2_TYPE_UINT64));
  }

 private:
  OTF2_StringRef text(const std::string& text) {
    const std::size_t known = texts_.all().size();
    const OTF2_StringRef number = texts_(text);
    if (number == known) check_(OTF2_GlobalDefWriter_WriteString(writer_, number, text.c_str()));
    return number;
  }
  OTF2_GlobalDefWriter* const writer_;
  Outcome& check_;
  Names texts_;
};

// Everything but opening and closing. Failures of the library go to `check`, those of the trace are returned.
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
  // Numbers mean the same in all ranks, but readers ask for the files.
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

// Of an archive of ours.
bool part_of_archive(const fs::path& file) {
  const std::string name = file.filename();
  return name == "traces" || name == "traces.otf2" || name == "traces.def";
}

}  // namespace

Result<void> can_write_otf2(const std::string& path) {
  if (path.empty()) return fail("--otf2: the folder name is empty");
  std::error_code error;
  if (!fs::exists(path, error)) return {};
  if (!fs::is_directory(path, error)) return fail("--otf2: " + path + " is no folder");
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
