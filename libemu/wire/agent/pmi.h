// The process manager, as a process talks to it that it has started: PMI-1, lines of "cmd=NAME key=value ...", a
// question and its answer, over a stream socket that the process inherits (PMI_FD). Hydra speaks it, and so does
// Slurm's plugin pmi2. (Balaji et al., "PMI: A Scalable Parallel Process-Management Interface for Extreme-Scale
// Systems", EuroMPI 2010; its words are those of MPICH's src/pmi/simple.)
//
// A process that has said hello is known to be part of a parallel job: if it goes without finalize(), the manager
// ends the others.
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
  // Says hello over `fd`, which stays open after this is gone. Failure if the other end does not speak PMI-1.
  static Result<Pmi> open(int fd);

  // What is under `key` for all processes of the job, once barrier() has returned to them. Keys have 64 characters
  // at most, values `longest`, and neither has blanks, '=' or line breaks.
  static constexpr std::size_t longest = 1000;
  Result<void> put(const std::string& key, const std::string& value);
  // Nothing: nobody has put it there.
  Result<std::optional<std::string>> get(const std::string& key);
  // Returns when all processes of the job have called it.
  Result<void> barrier();

  // Which of the programs of the job's command line this is, from 0; nothing if the manager does not say.
  Result<std::optional<int>> program() { return number("get_appnum", "appnum", "appnum"); }
  // How many processes there could be; likewise.
  Result<std::optional<int>> universe() { return number("get_universe_size", "universe_size", "size"); }
  // On which of the manager's machines each of `ranks` ranks is, machines being numbered as they come; nothing if the
  // manager does not say.
  Result<std::optional<std::vector<int>>> machines(int ranks);

  // The manager ends the job with this exit code. May be called while another thread waits in one of the others.
  void abort(int exit_code) const;
  // Ends the conversation; the process may go when it likes.
  Result<void> finalize();

 private:
  explicit Pmi(int fd) : fd_(fd) {}
  // The answer to a question is a line of the command `answer`.
  Result<std::string> ask(const std::string& question, std::string_view answer);
  Result<std::optional<int>> number(const std::string& question, std::string_view answer,
                                    std::string_view key);
  Result<std::string> line();
  Result<void> name_of_space();

  int fd_;
  std::string space_;  // of keys: the job's
  std::string read_;   // but not taken yet
};

// The value of `key` in a line of PMI's; nothing if there is none.
std::optional<std::string> pmi_value(std::string_view line, std::string_view key);

// PMI_process_mapping, "(vector,(FIRST,NODES,RANKS),...)": blocks of RANKS ranks on each of NODES nodes, from node FIRST
// on, again and again until there are `ranks`. The node of each rank, numbered as they come; nothing if it is no
// such text.
std::optional<std::vector<int>> parse_process_mapping(std::string_view text, int ranks);

}  // namespace emu::wire
