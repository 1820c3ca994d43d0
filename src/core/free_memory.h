// Memory that was freed and that the allocator keeps for later.
#pragma once

namespace takt {

/// Gives it back to the system, where the C library can: after something large that does not come again, so that the
/// peak is that of the larger of two steps and not of both. Costs a walk over the free lists.
void give_back_free_memory();

}  // namespace takt
