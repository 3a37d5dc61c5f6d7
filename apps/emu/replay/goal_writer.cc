#include "replay/goal_writer.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <unordered_map>

#include "base/units.h"
#include "replay/program_reader.h"

namespace emu::app::replay {

using record::Choice;
using record::EntryKind;

namespace {

constexpr std::uint64_t world = 2;  // context of the program's own messages in MPI_COMM_WORLD

// A schedule has no communicators: messages of communicators other than MPI_COMM_WORLD get tags that its messages do
// not have.
class Tags {
 public:
  void see(const Entry& entry) {
    if (entry.context == world) next_ = std::max<std::int64_t>(next_, std::int64_t{entry.tag} + 1);
  }
  std::int64_t of(std::uint64_t context, int tag) {
    if (context == world) return tag;
    const auto [found, made] = others_.try_emplace({context, tag}, next_);
    if (made) ++next_;
    return found->second;
  }

 private:
  std::map<std::pair<std::uint64_t, int>, std::int64_t> others_;
  std::int64_t next_ = 0;
};

struct Operation {
  EntryKind kind;  // send, receive; declared: calc
  std::int64_t amount = 0;
  std::uint64_t context = 0;
  int peer = -1, tag = 0;
  std::size_t point = 0;  // the operations that the rank had waited for at this point are required
  std::vector<int> requires_;
};

// Operations of one rank. An operation after a wait requires all operations that the wait completed.
class Block {
 public:
  void calc(std::int64_t picoseconds) {
    if (picoseconds == 0) return;
    const bool further = !operations_.empty() && operations_.back().kind == EntryKind::declared &&
                         point_ == std::vector<int>{last()};
    if (further) {
      operations_.back().amount += picoseconds;
      return;
    }
    add({.kind = EntryKind::declared, .amount = picoseconds});
    waited({last()});
  }
  void start(const Entry& entry) {
    add({.kind = entry.kind,
         .amount = entry.bytes,
         .context = entry.context,
         .peer = entry.peer,
         .tag = entry.tag});
    requests_[entry.requests[0]] = last();
  }
  void wait(const Entry& entry) {
    std::vector<int> of;
    for (const std::uint64_t request : entry.requests)
      if (const auto found = requests_.find(request); found != requests_.end()) of.push_back(found->second);
    waited(std::move(of));
  }
  void met(const Entry& entry) {
    const auto found = requests_.find(entry.requests[0]);
    if (found == requests_.end()) return;
    Operation& o = operations_[static_cast<std::size_t>(found->second)];
    o.peer = entry.peer;
    o.tag = entry.tag;
    o.amount = entry.bytes;
  }
  Result<void> write(int rank, Tags& tags, std::ostream& out) const;

 private:
  int last() const { return static_cast<int>(operations_.size()) - 1; }
  void add(Operation operation) {
    operation.point = points_;
    operation.requires_ = point_;
    operations_.push_back(std::move(operation));
  }
  // Operations that began after the previous point require that point.
  void waited(std::vector<int> of) {
    if (of.empty()) return;
    const bool behind = std::any_of(of.begin(), of.end(), [&](int o) {
      return operations_[static_cast<std::size_t>(o)].point == points_;
    });
    if (!behind) of.insert(of.end(), point_.begin(), point_.end());
    std::sort(of.begin(), of.end());
    of.erase(std::unique(of.begin(), of.end()), of.end());
    point_ = std::move(of);
    ++points_;
  }

  std::vector<Operation> operations_;
  std::unordered_map<std::uint64_t, int> requests_;  // their operations
  std::vector<int> point_;
  std::size_t points_ = 0;
};

Result<void> Block::write(int rank, Tags& tags, std::ostream& out) const {
  out << "rank " << rank << " {\n";
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    const Operation& o = operations_[i];
    out << "o" << i << ": ";
    if (o.kind == EntryKind::declared) {
      out << "calc " << o.amount << "\n";
    } else {
      if (o.peer < 0 || o.tag < 0)
        return fail("rank " + std::to_string(rank) +
                    ": a receive from any source was never complete: a schedule has to name the source");
      out << (o.kind == EntryKind::send ? "send " : "recv ") << o.amount
          << (o.kind == EntryKind::send ? "b to " : "b from ") << o.peer << " tag "
          << tags.of(o.context, o.tag) << "\n";
    }
    for (const int on : o.requires_) out << "o" << i << " requires o" << on << "\n";
  }
  out << "}\n";
  return {};
}

// Choices that a schedule cannot express.
const char* impossible(Choice choice) {
  switch (choice) {
    case Choice::cancel:
      return "cancels a request";
    case Choice::one_sided:
      return "accesses the memory of other ranks";
    case Choice::file:
      return "accesses a file";
    case Choice::threads:
      return "has several threads that call MPI";
    case Choice::agreement:
      return "agrees on failures";
    default:
      return nullptr;
  }
}

struct Found {
  std::set<std::string> choosing;  // calls
  bool synchronous = false, clock = false;
};

Result<Block> read_block(ProgramReader& reader, Found& found) {
  Block block;
  Entry entry;
  for (;;) {
    const auto more = reader.next(entry);
    if (!more) return tl::unexpected(more.error());
    if (!*more) return block;
    switch (entry.kind) {
      case EntryKind::declared:
      case EntryKind::measured:
      case EntryKind::sleep:
      case EntryKind::copy:
      case EntryKind::combine:
      case EntryKind::allocate:
        block.calc(entry.time.picoseconds());
        break;
      case EntryKind::send:
        found.synchronous = found.synchronous || entry.mode == 1;
        block.start(entry);
        break;
      case EntryKind::receive:
        block.start(entry);
        break;
      case EntryKind::clock:
        found.clock = true;
        break;
      case EntryKind::wait:
        block.wait(entry);
        break;
      case EntryKind::met:
        block.met(entry);
        break;
      case EntryKind::choice:
        if (const char* const what = impossible(entry.choice))
          return fail("rank " + std::to_string(reader.header().rank) + ": " + entry.name + " " + what +
                      ", which a schedule cannot have");
        found.choosing.insert(entry.name);
        break;
      default:
        break;
    }
  }
}

Result<Tags> tags_of(const Recording& recording) {
  Tags tags;
  Entry entry;
  for (int rank = 0; rank < recording.ranks; ++rank) {
    const auto reader = open_rank(recording, rank);
    if (!reader) return tl::unexpected(reader.error());
    for (;;) {
      const auto more = (*reader)->next(entry);
      if (!more) return tl::unexpected(more.error());
      if (!*more) break;
      if (entry.kind == EntryKind::send) tags.see(entry);
    }
  }
  return tags;
}

Notes notes_of(const Found& found) {
  Notes notes;
  std::string calls;
  for (const std::string& call : found.choosing) calls += (calls.empty() ? "" : ", ") + call;
  if (!calls.empty())
    notes.push_back("the program chooses by what happens (" + calls +
                    "): the schedule has what it chose on the target of the recording");
  if (found.synchronous)
    notes.push_back(
        "synchronous sends are in the schedule as standard ones, which do not wait for their receives");
  if (found.clock) notes.push_back("the program reads its clock, which takes time; the schedule does not");
  return notes;
}

}  // namespace

Result<Notes> write_goal(const Recording& recording, const std::string& path) {
  auto tags = tags_of(recording);
  if (!tags) return tl::unexpected(tags.error());
  std::ofstream file;
  if (path != "-") file.open(path);
  std::ostream& out = path == "-" ? std::cout : file;
  if (!out) return fail("--goal: " + path + " cannot be written: " + std::strerror(errno));
  std::string program = recording.program + " on " + recording.target;
  std::replace(program.begin(), program.end(), '\n', ' ');
  out << "// " << program << "; the unit of calc is a picosecond: emu run --target FILE " << path
      << " --unit 1ps\nnum_ranks " << recording.ranks << "\n";
  Found found;
  for (int rank = 0; rank < recording.ranks; ++rank) {
    const auto reader = open_rank(recording, rank);
    if (!reader) return tl::unexpected(reader.error());
    const auto block = read_block(**reader, found);
    if (!block) return tl::unexpected(block.error());
    if (const auto written = block->write(rank, *tags, out); !written) return tl::unexpected(written.error());
  }
  out.flush();
  file.close();
  if (!out) return fail("--goal: " + path + " cannot be written: " + std::strerror(errno));
  return notes_of(found);
}

}  // namespace emu::app::replay
