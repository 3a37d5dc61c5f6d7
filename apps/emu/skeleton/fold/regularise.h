// Normal order of calls that a rank could as well have made in another one.
#pragma once

#include "skeleton/recording/trace.h"

namespace emu::skeleton {

// Sends and receives that are begun one after another, and do not compute in between, are put into the order of their
// functions, tags and distances; those of one peer and tag keep theirs. Whether a rank computes between two calls is told by all of
// their kind, as what is measured is now and then longer. Waits that follow each other become one wait for
// all of their requests. Slots are numbered anew, so that a loop that begins its messages in another order each time
// becomes one that does the same each time.
void regularise(RankTrace& trace);

}  // namespace emu::skeleton
