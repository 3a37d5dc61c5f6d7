// Masters and slaves, recognised by what they do: nothing in the program says who is one.
//
// A slave's task is an exchange with its master (analysis/exchanges.h) in which it computes: it receives what to do, does
// it and sends the result back. What tells it from any other exchange of messages is that the master, between
// receiving from the slave and sending to it again, computes far less than the slave does the other way
// round: less than a third (far_less), in this exchange and in the middle of the exchanges around it. So a rank can be master
// and slave by turns, of several others at a time, and a master that computes for a long while once in a
// thousand answers stays one. Work counts once: in the exchange that ends first, if several ranks wait for the
// rank. Who deals but one task is no master.
#pragma once

#include "analysis/exchanges.h"
#include "analysis/masters.h"

namespace emu::analysis {

struct TaskTable {
  std::vector<Task> tasks;  // by slave, then in order of time
  std::vector<Master> masters;
  std::vector<Slave> slaves;
};

// All is empty where nobody deals.
Result<TaskTable> read_tasks(const Folder& folder, const History& history);
TaskTable find_tasks(const Exchanges& exchanges, const History& history);

}  // namespace emu::analysis
