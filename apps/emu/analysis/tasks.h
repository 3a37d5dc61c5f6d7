// Tasks of slaves: the exchanges of a trace in which a slave computes. They identify masters and slaves, which the
// program does not declare.
//
// A slave's task is an exchange with its master (analysis/exchanges.h) in which it computes: it receives the
// task, carries it out and sends the result back. It differs from other exchanges in that the master,
// between receiving from the slave and sending to it again, computes far less than the slave does in the
// opposite direction: less than a third (far_less), in this exchange and in the median of the exchanges
// around it. So a rank can be master and slave by turns, of several other ranks at a time, and a master that
// computes for a long time once in a thousand answers remains a master. Work counts once: in the exchange
// that ends first, if several ranks wait for the rank. A rank that deals only one task is not a master.
#pragma once

#include "analysis/exchanges.h"
#include "analysis/masters.h"

namespace emu::analysis {

struct TaskTable {
  std::vector<Task> tasks;  // by slave, then in order of time
  std::vector<Master> masters;
  std::vector<Slave> slaves;
};

// Empty if no rank deals.
Result<TaskTable> read_tasks(const Folder& folder, const History& history);
TaskTable find_tasks(const Exchanges& exchanges, const History& history);

}  // namespace emu::analysis
