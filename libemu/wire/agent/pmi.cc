#include "wire/agent/pmi.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <map>

#include "base/number.h"

namespace emu::wire {

namespace {

// Longer than any line of the protocol: the sender of a longer line is not a process manager.
constexpr std::size_t longest_line = 64 << 10;

// For an error message: invalid text may be long and contain any characters.
std::string shown(std::string_view text) {
  std::string result(text.substr(0, 100));
  std::replace_if(
      result.begin(), result.end(), [](unsigned char c) { return c < 32 || c > 126; }, '?');
  return '"' + result + (text.size() > result.size() ? "\"..." : "\"");
}

bool send_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = send(fd, text.data(), text.size(), MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

bool fits(std::string_view text, std::size_t most) {
  return !text.empty() && text.size() <= most && text.find_first_of(" =\n") == std::string_view::npos;
}

}  // namespace

std::optional<std::string> pmi_value(std::string_view line, std::string_view key) {
  while (!line.empty()) {
    const std::size_t end = std::min(line.find(' '), line.size());
    const std::string_view word = line.substr(0, end);
    if (word.size() > key.size() && word.starts_with(key) && word[key.size()] == '=')
      return std::string(word.substr(key.size() + 1));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return {};
}

std::optional<std::vector<int>> parse_process_mapping(std::string_view text, int ranks) {
  constexpr std::string_view begin = "(vector";
  if (!text.starts_with(begin) || !text.ends_with(")")) return {};
  text = text.substr(begin.size(), text.size() - begin.size() - 1);
  std::vector<std::array<int, 3>> blocks;
  while (text.starts_with(",(")) {
    text.remove_prefix(2);
    std::array<int, 3> block{};
    for (std::size_t i = 0; i < block.size(); ++i) {
      const std::size_t end = text.find(i + 1 < block.size() ? ',' : ')');
      if (end == std::string_view::npos) return {};
      const auto number = read_number(text.substr(0, end), i == 0 ? 0 : 1, 1'000'000'000);
      if (!number) return {};
      block[i] = *number;
      text.remove_prefix(end + 1);
    }
    blocks.push_back(block);
  }
  if (!text.empty() || blocks.empty()) return {};
  std::vector<int> result;
  std::map<int, int> numbers;
  const auto all = static_cast<std::size_t>(ranks);
  result.reserve(all);
  while (result.size() < all)
    for (const auto& [first, nodes, each] : blocks)
      for (int node = first; node < first + nodes && result.size() < all; ++node) {
        const int number = numbers.try_emplace(node, static_cast<int>(numbers.size())).first->second;
        result.insert(result.end(), std::min(static_cast<std::size_t>(each), all - result.size()), number);
      }
  return result;
}

Result<std::string> Pmi::line() {
  for (;;) {
    if (const std::size_t end = read_.find('\n'); end != std::string::npos) {
      std::string line = read_.substr(0, end);
      read_.erase(0, end + 1);
      return line;
    }
    if (read_.size() > longest_line)
      return fail("the process manager sent an invalid line of PMI-1: " + shown(read_));
    char more[4096];
    const ssize_t n = recv(fd_, more, sizeof more, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail(std::string("cannot read from the process manager: ") + std::strerror(errno));
    if (n == 0) return fail("the process manager has closed its connection");
    read_.append(more, static_cast<std::size_t>(n));
  }
}

Result<std::string> Pmi::ask(const std::string& question, std::string_view answer) {
  if (!send_all(fd_, "cmd=" + question + "\n"))
    return fail(std::string("cannot write to the process manager: ") + std::strerror(errno));
  auto got = line();
  if (!got) return got;
  if (pmi_value(*got, "cmd") != answer)
    return fail("the process manager answers " + shown(*got) + " to " + shown(question));
  return got;
}

Result<Pmi> Pmi::open(int fd) {
  Pmi pmi(fd);
  const auto hello = pmi.ask("init pmi_version=1 pmi_subversion=1", "response_to_init");
  if (!hello) return tl::unexpected(hello.error());
  if (pmi_value(*hello, "rc") != "0" || pmi_value(*hello, "pmi_version") != "1")
    return fail("the process manager does not speak PMI-1; it answers " + shown(*hello));
  return pmi;
}

Result<void> Pmi::name_of_space() {
  if (!space_.empty()) return {};
  const auto answer = ask("get_my_kvsname", "my_kvsname");
  if (!answer) return tl::unexpected(answer.error());
  space_ = pmi_value(*answer, "kvsname").value_or("");
  if (space_.empty()) return fail("the process manager names no space of keys: " + shown(*answer));
  return {};
}

Result<void> Pmi::put(const std::string& key, const std::string& value) {
  if (!fits(key, 64) || !fits(value, longest))
    return fail("not to be put into PMI: " + shown(key + "=" + value));
  if (const auto named = name_of_space(); !named) return named;
  const auto answer = ask("put kvsname=" + space_ + " key=" + key + " value=" + value, "put_result");
  if (!answer) return tl::unexpected(answer.error());
  if (pmi_value(*answer, "rc") != "0")
    return fail("the process manager does not take a value: " + shown(*answer));
  return {};
}

Result<std::optional<std::string>> Pmi::get(const std::string& key) {
  if (const auto named = name_of_space(); !named) return tl::unexpected(named.error());
  const auto answer = ask("get kvsname=" + space_ + " key=" + key, "get_result");
  if (!answer) return tl::unexpected(answer.error());
  if (pmi_value(*answer, "rc") != "0") return std::optional<std::string>();
  return pmi_value(*answer, "value");
}

Result<void> Pmi::barrier() {
  const auto answer = ask("barrier_in", "barrier_out");
  if (!answer) return tl::unexpected(answer.error());
  return {};
}

Result<std::optional<int>> Pmi::number(const std::string& question, std::string_view answer,
                                       std::string_view key) {
  const auto got = ask(question, answer);
  if (!got) return tl::unexpected(got.error());
  return read_number(pmi_value(*got, key).value_or(""), 0);
}

Result<std::optional<std::vector<int>>> Pmi::machines(int ranks) {
  const auto mapping = get("PMI_process_mapping");
  if (!mapping) return tl::unexpected(mapping.error());
  return *mapping ? parse_process_mapping(**mapping, ranks) : std::nullopt;
}

void Pmi::abort(int exit_code) const {
  send_all(fd_, "cmd=abort exitcode=" + std::to_string(exit_code) + "\n");
}

Result<void> Pmi::finalize() {
  const auto answer = ask("finalize", "finalize_ack");
  if (!answer) return tl::unexpected(answer.error());
  return {};
}

}  // namespace emu::wire
