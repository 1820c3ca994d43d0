// Where large blocks of memory lie, beside each other.
#pragma once

namespace takt {

/// From now on all blocks come from one heap, one after the other, in every process that does the same at the same
/// places. Else the C library maps each large block by itself, and where the system puts it is drawn anew in each
/// process: blocks of tens of megabytes that begin at the same place of a large page get in each other's way in the
/// processor. The same model takes 30 ms in one process and 40 in the next (stages 1 to 3 of GraphSAGE, 41 MB, two
/// cores of an EPYC; the mode follows from /proc/PID/maps). For processes that measure what is compared with other
/// processes; call it first. Does nothing where the C library is not glibc. What was freed stays with the process:
/// given back, it would be cleared by the system again and again (a graph network takes 39 ms for 31 then).
void place_blocks_together();

}  // namespace takt
