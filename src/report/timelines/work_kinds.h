// What an event of a trace is drawn as: its kind of work, or what it waits for, as the name of its colour.
#pragma once

#include <string_view>

#include "report/page/page.h"

namespace takt {

/// Returns the kind of an event by its category and name: kernels and operators by their family, which is the same for
/// both, copies, communication, launches, waits and the program's own spans; "k0", "other" for what nothing is known of.
ReportKind kind_of_work(std::string_view category, std::string_view name);

/// Returns the kind of a pipeline's stage by its place in the pipeline. More than six: colours start over;
/// those from the 61st on are one kind.
ReportKind kind_of_stage(std::size_t place, std::string_view name);

}  // namespace takt
