#include "pipeline/account/account.h"

#include <algorithm>
#include <cassert>
#include <span>
#include <utility>

#include "base/basics/check.h"
#include "base/memory/large_pages.h"
#include "pipeline/account/binding.h"
#include "pipeline/account/critical_path.h"
#include "pipeline/account/device_account.h"
#include "pipeline/account/stage_account.h"
#include "pipeline/account/stage_columns.h"
#include "pipeline/account/steady_state.h"
#include "pipeline/account/visit_copies.h"
#include "pipeline/record/run_check.h"

namespace takt {
namespace {

/// Of the batches that are not warm-up.
template <typename Value>
Spread spread_of(const Accounts& accounts, Value value) {
  const auto batches = std::span(accounts.batches).subspan(static_cast<std::size_t>(accounts.warmup));
  std::vector<std::int64_t> values;
  reserve_large(values, batches.size());
  for (const BatchAccount& batch : batches) values.push_back(value(batch).count());
  return describe(values);
}

RunWindow up_to_the_last_delivery(const Accounts& accounts) {
  RunWindow window{accounts.window.begin, accounts.window.begin};
  for (const BatchAccount& batch : accounts.batches) window.end = std::max(window.end, batch.delivered);
  return window;
}

}  // namespace

RunWindow window_of(const PipelineRun& run) {
  const auto& executions = run.schedule.executions;  // in the order of starts
  if (executions.empty()) return {};
  RunWindow window{executions.front().start, executions.front().end};
  for (const ExecutionRecord& record : executions) window.end = std::max(window.end, record.end);
  return window;
}

Accounts account(const PipelineRun& run) {
  check(run, run.name.empty() ? "pipeline run" : run.name);
  Accounts accounts;
  accounts.name = run.name;
  accounts.virtual_clock = run.virtual_clock;
  accounts.interrupted = run.interrupted;
  accounts.in_flight = run.shape.source.in_flight;
  accounts.warmup = warm_up_batches(run);
  std::vector<StageColumns> columns = stage_columns(run);
  const VisitCopies copies = visit_copies(run);
  account_stages(run, columns, copies, accounts);
  assert(accounts.window.length() == window_of(run).length());
  sort_columns(run, columns);
  account_devices(run, columns, accounts);
  accounts.latency = spread_of(accounts, [](const BatchAccount& batch) { return batch.latency(); });
  accounts.cycle_latency = spread_of(accounts, [](const BatchAccount& batch) { return batch.cycle; });
  if (run.shape.source.open)
    accounts.source_wait =
        spread_of(accounts, [](const BatchAccount& batch) { return batch.admitted - batch.arrived; });
  TAKT_CHECK(accounts.devices.size() == run.devices.size() && accounts.stages.size() == run.stages.size());
  const auto load = account_bottleneck(run, accounts);
  account_cycle(run, columns, load, accounts);
  const RunWindow steady = accounts.steady.value_or(up_to_the_last_delivery(accounts));
  std::vector<BinderShare> binders;
  accounts.path = find_critical_path(run, accounts.window, columns, copies, Laps(steady), binders);
  accounts.bindings = settle_bindings(accounts, load, steady, std::move(binders));
  const bool waits_for_source = accounts.bindings.main && accounts.bindings.main->binder == Binder::source;
  if (waits_for_source) accounts.overload.reset();
  accounts.logged = run.logged;
  if (run.logged && (waits_for_source || !run.logged->dropped.empty())) account_logged_arrivals(run, accounts);
  return accounts;
}

}  // namespace takt
