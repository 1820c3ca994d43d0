// What operators take when nobody looks.
//
// A record costs a runtime microseconds, several times what a small operator takes, and it empties caches for the next
// one. Two measurements take that out again. The runs without records say what all operators take together: what the
// recorded runs take longer, shared out over the records, is the cost of a record. And where records disturb much, the
// heads of the model up to its heavy operators are timed without any (stretches.h): the differences are what the
// stretches between take, whatever recording did to them; within a stretch the records, less their cost, say who took
// it.
//
// On a busy machine such differences say nothing: of a convolution of 100 us that its stretch took 0 to 300. Where the
// interval of a plain time is wider than the time itself, or it is far from the operator's share of the recorded runs,
// the row has its recorded time, fitted to the plain run, and says so (OpRow::plain_from_records). Stretches that say
// such things of a tenth of the run are not used at all.
//
// Centres are those of the middle half of the samples: one interrupted run in a hundred would otherwise decide over an
// operator of a microsecond, and on a busy machine every fifth run is interrupted.
#pragma once

#include "measure/open/run_result.h"
#include "measure/operators/op_profile.h"

namespace takt {

/// Fills OpRow::record_cost and OpRow::plain_mean of each row, OpProfile::recording, plain_mean and plain_unattributed.
/// Σ plain_mean + plain_unattributed == the mean of the plain runs, up to rounding. Does nothing without both
/// passes, and where the plain runs shared the device with others and the recorded ones did not.
void add_plain_times(const RunResult& result, OpProfile& profile);

}  // namespace takt
