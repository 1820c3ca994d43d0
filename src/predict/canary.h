// A fixed piece of work of about a millisecond: what it takes now, against the least it ever took, tells what others do
// to a program on this machine at the moment.
#pragma once

namespace takt {

/// Mean over some 30 repetitions, in microseconds: additions that depend on each other, and reads of a table that the
/// second-level cache holds. In the calling thread alone.
double canary_us();

}  // namespace takt
