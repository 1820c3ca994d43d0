#include "plan/answer/named_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "plan/estimate/estimate.h"
#include "plan/search/source_plans.h"

namespace takt {

GivenPlan named_plan(const std::string& word, const PlanCosts& costs, std::int64_t batches) {
  GivenPlan given;
  if (const auto named = plan_named(word)) {
    given.name = *std::find_if(named_plans().begin(), named_plans().end(),
                               [&](const std::string& name) { return lower_case(name) == lower_case(word); });
    given.plan = *named;
  } else if (word.find('[') == word.npos) {
    std::error_code ignored;
    if (!std::filesystem::exists(word, ignored))
      throw Error(
          ErrorKind::bad_input,
          fmt::format("--plan '{}': no file has this name; write {}, a JSON file, or a plan such as 'GPU[1-4] | "
                      "NPU[5-7]'",
                      printable(word), fmt::join(named_plans(), ", ")));
    given.plan = parse_plan_json(read_file(word), printable(word));
  } else {
    given.plan = parse_plan(word, "--plan");
  }
  try {
    given.estimate = estimate(given.plan, costs, batches);
  } catch (const Error& error) {
    given.reason = error.what();
  }
  return given;
}

}  // namespace takt
