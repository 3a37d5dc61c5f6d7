#include "trace/otf2_definitions.h"

#include <map>
#include <utility>

#include "analysis/profile.h"

namespace emu::app::otf2 {
namespace {

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

// The name of a communicator; the messages of its collective operations have a separate context.
std::string name_of(std::uint64_t context) {
  const std::uint64_t comm = context / 2;
  const std::string name = comm == 1   ? "MPI_COMM_WORLD"
                           : comm == 2 ? "MPI_COMM_SELF"
                                       : "communicator " + std::to_string(comm);
  return name + (context % 2 ? ", collective operations" : "");
}

}  // namespace

void Definitions::time(Instant end) {
  check_(OTF2_GlobalDefWriter_WriteClockProperties(writer_, 1'000'000'000'000, 0,
                                                   static_cast<std::uint64_t>(end.picoseconds()) + 1,
                                                   OTF2_UNDEFINED_TIMESTAMP));
}

void Definitions::places(const analysis::Folder& folder, const std::vector<std::uint64_t>& events) {
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

void Definitions::regions(const Names& regions) {
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

void Definitions::windows(Known& known) {
  OTF2_RmaWinRef number = 0;
  for (const std::string& context : known.windows.all())
    check_(OTF2_GlobalDefWriter_WriteRmaWin(writer_, number++, text("window " + context),
                                            known.contexts(context), OTF2_RMA_WIN_FLAG_NONE));
}

void Definitions::communicators(std::uint32_t ranks, const Names& contexts) {
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

OTF2_StringRef Definitions::text(const std::string& text) {
  const std::size_t known = texts_.all().size();
  const OTF2_StringRef number = texts_(text);
  if (number == known) check_(OTF2_GlobalDefWriter_WriteString(writer_, number, text.c_str()));
  return number;
}

}  // namespace emu::app::otf2
