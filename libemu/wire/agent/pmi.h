// Client of the process manager that started the process: PMI-1, lines of "cmd=NAME key=value ...", questions and
// answers over a stream socket that the process inherits (PMI_FD). Hydra supports it, and so does
// Slurm's plugin pmi2. (Balaji et al., "PMI: A Scalable Parallel Process-Management Interface for Extreme-Scale
// Systems", EuroMPI 2010; the commands are those of MPICH's src/pmi/simple.)
//
// A process that has opened the connection is part of a parallel job: if it ends without finalize(), the manager
// ends the other processes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/failure.h"

namespace emu::wire {

class Pmi {
 public:
  // Opens the connection over `fd`, which stays open after this object is destroyed. Fails unless the peer speaks
  // PMI-1.
  static Result<Pmi> open(int fd);

  // Publishes `value` under `key` for all processes of the job, from the next barrier() on. Keys have at most 64
  // characters, values at most `longest`; neither has blanks, '=' or line breaks.
  static constexpr std::size_t longest = 1000;
  Result<void> put(const std::string& key, const std::string& value);
  // No value: no process has put one.
  Result<std::optional<std::string>> get(const std::string& key);
  // Returns when all processes of the job have called it.
  Result<void> barrier();

  // The number of this program in the job's command line, from 0; nothing if the manager does not tell.
  Result<std::optional<int>> program() { return number("get_appnum", "appnum", "appnum"); }
  // The greatest possible number of processes; nothing if the manager does not tell.
  Result<std::optional<int>> universe() { return number("get_universe_size", "universe_size", "size"); }
  // The machine of each of `ranks` ranks, with machines numbered
  // in order of appearance; nothing if the manager does not tell.
  Result<std::optional<std::vector<int>>> machines(int ranks);

  // The manager ends the job with this exit code. May be called while another thread waits in another function.
  void abort(int exit_code) const;
  // Ends the conversation; the process may then end at any time.
  Result<void> finalize();

 private:
  explicit Pmi(int fd) : fd_(fd) {}
  // Asks a question. The answer must be a line of the command `answer`.
  Result<std::string> ask(const std::string& question, std::string_view answer);
  Result<std::optional<int>> number(const std::string& question, std::string_view answer,
                                    std::string_view key);
  Result<std::string> line();
  Result<void> name_of_space();

  int fd_;
  std::string space_;  // of keys: that of the job
  std::string read_;   // received, but not consumed
};

// The value of `key` in a PMI line; nothing if the key is missing.
std::optional<std::string> pmi_value(std::string_view line, std::string_view key);

// Reads PMI_process_mapping, "(vector,(FIRST,NODES,RANKS),...)": blocks of RANKS ranks on
// each of NODES nodes, from node FIRST on, repeated until there are `ranks`. Returns the
// node of each rank, numbered in order of appearance; nothing if the text has another form.
std::optional<std::vector<int>> parse_process_mapping(std::string_view text, int ranks);

}  // namespace emu::wire
