#include "report/profile_json.h"

#include <nlohmann/json.hpp>

#include "report/picoseconds_json.h"
#include "report/picture.h"

namespace emu::app {
namespace {

using Json = nlohmann::ordered_json;

// Measures of one rank, or of all ranks.
template <class Time>
Json measures_json(const analysis::MeasuresOf<Time>& m, Time idle) {
  Json json = {{"execution", picoseconds_json(m.execution)},
               {"productive", picoseconds_json(m.productive)},
               {"system", picoseconds_json(m.system)},
               {"insufficient_parallelism", picoseconds_json(m.insufficient_parallelism)},
               {"communication", picoseconds_json(m.communication())},
               {"node_down", picoseconds_json(m.down)},
               {"idle", picoseconds_json(idle)},
               {"overlap", picoseconds_json(m.overlap)},
               {"by_kind", Json::object()}};
  for (std::size_t i = 0; i < analysis::kinds; ++i) {
    const analysis::CommunicationOf<Time>& c = m.by_kind[i];
    if (c.operations == 0 && c.time == Time()) continue;
    json["by_kind"][analysis::kind_names[i]] = {{"operations", c.operations},
                                                {"time", picoseconds_json(c.time)},
                                                {"synchronisation", picoseconds_json(c.synchronisation)},
                                                {"variation", picoseconds_json(c.variation)}};
  }
  return json;
}

Json interval_json(const analysis::IntervalProfile& interval) {
  Json json = {{"name", interval.name},
               {"instances", interval.instances},
               {"execution", interval.longest().picoseconds()},
               {"total", picoseconds_json(interval.total())},
               {"lost", picoseconds_json(interval.lost())},
               {"imbalance", interval.imbalance().picoseconds()},
               {"efficiency", interval.efficiency()},
               {"sum", measures_json(interval.sum(), interval.idle())},
               {"per_rank", Json::array()},
               {"inside", Json::array()}};
  for (std::size_t rank = 0; rank < interval.per_rank.size(); ++rank)
    json["per_rank"].push_back(measures_json(interval.per_rank[rank], interval.idle(rank)));
  for (const analysis::IntervalProfile& inside : interval.inside)
    json["inside"].push_back(interval_json(inside));
  return json;
}

Json rank_json(int number, const analysis::RankHistory& rank) {
  Json json = {{"rank", number}, {"finish", rank.finish.picoseconds()}};
  for (const analysis::StateRow& state : analysis::states)
    json[state.name] = (rank.time.*state.part).picoseconds();
  json["messages"] = rank.messages;
  json["bytes"] = rank.bytes;
  return json;
}

// Course and composition of the path.
Json path_json(const analysis::History& history, const analysis::CriticalPath& critical) {
  std::vector<Interval> on(history.ranks.size());
  const std::vector<analysis::PathPiece>& pieces = critical.pieces;
  Interval compute, travelling;
  if (!pieces.empty()) travelling = history.finish() - pieces.front().from;
  for (const analysis::PathPiece& piece : pieces) {
    const auto rank = static_cast<std::size_t>(piece.rank);
    on[rank] += piece.until - piece.from;
    travelling -= piece.until - piece.from;
    compute += history.ranks[rank].compute.within(piece.from, piece.until);
  }
  Json json = {{"ends_at_rank", history.last()},   {"pieces", pieces.size()},
               {"compute", compute.picoseconds()}, {"between_ranks", travelling.picoseconds()},
               {"on_rank", Json::array()},         {"causes", Json::object()}};
  // Events before it do not count: the target sets the failure.
  if (critical.from_failure)
    json["begins_with_failure"] = {{"rank", pieces.front().rank},
                                   {"picoseconds", pieces.front().from.picoseconds()}};
  for (Interval d : on) json["on_rank"].push_back(d.picoseconds());
  if (history.last() < 0) return json;
  const record::Path& path = history.ranks[static_cast<std::size_t>(history.last())].path;
  for (const record::Cause& cause : record::causes)
    json["causes"][cause.name] = (path.*cause.part).picoseconds();
  return json;
}

}  // namespace

Json profile_json(const analysis::Folder& folder, const analysis::History& history,
                  const analysis::IntervalProfile& intervals, const analysis::CriticalPath& path) {
  std::int64_t messages = 0, bytes = 0;
  Json ranks = Json::array(), notes = Json::array();
  for (int i = 0; i < folder.ranks(); ++i) {
    const analysis::RankHistory& rank = history.ranks[static_cast<std::size_t>(i)];
    messages += rank.messages;
    bytes += rank.bytes;
    ranks.push_back(rank_json(i, rank));
    if (!rank.cut.empty()) notes.push_back(rank.cut);
  }
  Json memory = Json::array();
  for (std::size_t i = 0; i < history.memory.size(); ++i)
    if (const analysis::Memory& m = history.memory[i]; m.operations > 0)
      memory.push_back({{"rank", i},
                        {"operations", m.operations},
                        {"overhead", m.overhead.picoseconds()},
                        {"waited", m.waited.picoseconds()}});
  Json json = {{"program", folder.program()},
               {"target", folder.target()},
               {"ranks", folder.ranks()},
               {"predicted_picoseconds", history.finish().picoseconds()},
               {"messages", messages},
               {"bytes", bytes},
               {"complete", notes.empty()},
               {"notes", notes},
               {"critical_path", path_json(history, path)},
               {"per_rank", ranks},
               {"intervals", interval_json(intervals)}};
  if (!memory.empty()) json["memory"] = memory;
  return json;
}

Json timeline_json(const analysis::Timeline& timeline, const analysis::CriticalPath& path) {
  Json json = {{"bin", timeline.bin.picoseconds()}, {"states", Json::array()}, {"rows", Json::array()}};
  for (const analysis::StateRow& state : analysis::states)
    json["states"].push_back({{"name", state.name}, {"words", state.words}, {"color", state.color}});
  for (const auto& rank : timeline.ranks) {
    std::string row;
    for (const auto& bin : rank)
      for (Interval part : bin) row += letter(part.seconds() / timeline.bin.seconds());
    json["rows"].push_back(row);
  }
  // Pieces too short to be visible are left out.
  json["path"] = Json::array();
  Instant last = Instant::from_picoseconds(-timeline.bin.picoseconds());
  for (const analysis::PathPiece& piece : path.pieces) {
    const Interval quarter = Interval::picoseconds(timeline.bin.picoseconds() / 4);
    if (piece.until - piece.from < quarter && piece.until - last < quarter) continue;
    json["path"].push_back({piece.rank, piece.from.picoseconds(), piece.until.picoseconds()});
    last = piece.until;
  }
  return json;
}

}  // namespace emu::app
