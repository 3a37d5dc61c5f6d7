// Compares apps/goal under `emu run`, and schedules that emu plays itself,
// with the finish times of an independent simulator, to the last digit.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "oracle/oracle.h"
#include "reference/compare/launch.h"
#include "reference/program/batch.h"

namespace {

using namespace emu;

constexpr int seconds_per_run = 120;

// By rank; empty if the run failed.
std::vector<std::int64_t> finish_times(const std::string& path) {
  std::ifstream file(path);
  const auto report = nlohmann::json::parse(file, nullptr, false);
  std::vector<std::int64_t> finish;
  if (report.is_discarded() || !report.contains("per_rank")) return finish;
  for (const auto& rank : report["per_rank"]) {
    const auto number = rank.at("rank").get<std::size_t>();
    if (number >= finish.size()) finish.resize(number + 1, -1);
    finish[number] = rank.at("finish_picoseconds").get<std::int64_t>();
  }
  return finish;
}

// Reports differences.
bool as_expected(const oracle::Row& row, const std::vector<std::int64_t>& finish, int code) {
  if (code != 0 || static_cast<int>(finish.size()) != row.ranks()) {
    std::fprintf(stderr, "%s: exit code %d, %zu finish times instead of %d\n", row.name().c_str(), code,
                 finish.size(), row.ranks());
    return false;
  }
  bool right = true;
  for (std::size_t rank = 0; rank < finish.size(); ++rank) {
    const std::int64_t expected = row.finish[rank] * oracle::picoseconds_per_unit;
    if (finish[rank] == expected) continue;
    right = false;
    std::fprintf(stderr, "%s, rank %zu: expected %lld ps, got %lld ps\n", row.name().c_str(), rank,
                 static_cast<long long>(expected), static_cast<long long>(finish[rank]));
  }
  return right;
}

struct Programs {
  std::string emu, goal;
};

bool check(const oracle::Row& row, const std::string& data, const Programs& programs,
           const std::string& folder) {
  const auto parameters = oracle::parameters(row);
  if (!parameters) {
    std::fprintf(stderr, "%s\n", parameters.error().message.c_str());
    return false;
  }
  const std::string target = folder + "/target.toml", json = folder + "/run.json",
                    program = folder + "/program.goal";
  std::ofstream(target) << reference::target_file(reference::Cluster(*parameters, row.ranks()), "");
  std::ofstream(program) << oracle::program_text(row, data);
  const std::vector<std::string> run = {programs.emu, "run",  "--log-level", "error",
                                        "--target",   target, "--json",      json};
  // In emu without stacks; with fibers, which a recorded run needs; and with processes, which take longest, except for
  // the set P2, which differs from P1 in a number.
  std::vector<std::vector<std::string>> ways = {{}, {"--trace", folder + "/trace"}};
  if (row.parameters != "P2") ways.push_back({"-n", std::to_string(row.ranks()), programs.goal});
  for (const std::vector<std::string>& how : ways) {
    std::filesystem::remove(json);
    std::vector<std::string> command = run;
    command.insert(command.end(), how.begin(), how.end());
    command.insert(command.end(), {program, "--unit", "0.1ns"});
    const reference::Ended ended = reference::launch(command, {}, seconds_per_run);
    if (!as_expected(row, finish_times(json), ended.code)) return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("Usage: emulated_oracle EMU GOAL FOLDER\n", stderr);
    return 2;
  }
  const std::string data = argv[3];
  const auto rows = oracle::read(data);
  if (!rows) {
    std::fprintf(stderr, "%s\n", rows.error().message.c_str());
    return 1;
  }
  char folder[] = "/tmp/emu-oracle-XXXXXX";
  if (!mkdtemp(folder)) {
    std::perror(folder);
    return 2;
  }
  int wrong = 0;
  for (const oracle::Row& row : *rows) wrong += !check(row, data, {argv[1], argv[2]}, folder);
  std::filesystem::remove_all(folder);
  std::printf("%zu programs under all parameters, %d wrong\n", rows->size(), wrong);
  return wrong == 0 ? 0 : 1;
}
