#include "process/start/manager_entries.h"

#include <algorithm>
#include <sstream>

#include "process/start/job.h"

namespace emu::mpi {

namespace {

std::string node_key(int node) { return "libemu-node-" + std::to_string(node); }

std::string machine_key(int helper) { return "libemu-machine-" + std::to_string(helper); }

Result<std::string> get(const std::string& key) {
  auto value = manager().get(key);
  if (!value) return tl::unexpected(value.error());
  if (!*value)
    return fail("the process manager does not know " + key + ", which a rank of this job has put there");
  return **value;
}

tl::unexpected<Failure> invalid(const std::string& text) {
  return fail("invalid answer of the process manager: \"" + text +
              "\" (expected the entry of a rank of this job)");
}

// The words of a value: commas separate them, since PMI does not accept blanks.
std::istringstream words(std::string text) {
  std::replace(text.begin(), text.end(), ',', ' ');
  return std::istringstream(text);
}

}  // namespace

Result<void> put_node(int node, const NodeEntry& entry) {
  std::ostringstream text;
  text << entry.nodes << ',' << entry.pid << ',' << entry.region << ',' << entry.pipe << ','
       << entry.region_bytes << ',' << entry.secret;
  for (const wire::Endpoint& endpoint : entry.endpoints) text << ',' << wire::text_of(endpoint);
  return manager().put(node_key(node), text.str());
}

Result<NodeEntry> get_node(int node) {
  const auto text = get(node_key(node));
  if (!text) return tl::unexpected(text.error());
  std::istringstream in = words(*text);
  NodeEntry entry;
  if (!(in >> entry.nodes >> entry.pid >> entry.region >> entry.pipe >> entry.region_bytes >> entry.secret))
    return invalid(*text);
  for (std::string word; in >> word;) {
    const auto endpoint = wire::read_endpoint(word);
    if (!endpoint) return invalid(*text);
    entry.endpoints.push_back(*endpoint);
  }
  return entry;
}

Result<void> put_machine(int helper, const wire::Machine& machine) {
  std::string text = std::to_string(machine.id) + ',' + machine.name;
  for (std::size_t i = 0; i < std::min(machine.addresses.size(), most_addresses); ++i)
    text += ',' + machine.addresses[i].to_string();
  return manager().put(machine_key(helper), text);
}

Result<wire::Machine> get_machine(int helper) {
  const auto text = get(machine_key(helper));
  if (!text) return tl::unexpected(text.error());
  std::istringstream in = words(*text);
  wire::Machine machine;
  if (!(in >> machine.id >> machine.name)) return invalid(*text);
  for (std::string word; in >> word;) {
    boost::system::error_code error;
    machine.addresses.push_back(boost::asio::ip::make_address(word, error));
    if (error) return invalid(*text);
  }
  return machine;
}

Result<bool> has_machine(int helper) {
  const auto value = manager().get(machine_key(helper));
  if (!value) return tl::unexpected(value.error());
  return value->has_value();
}

}  // namespace emu::mpi
