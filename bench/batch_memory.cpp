// What a run of a pipeline takes in memory per batch: two runs, one of ten times as many batches as the other, through
// stages that do nothing, told to a journal. Printed: how much the process grew while the pipeline ran, when its record
// was read back and when the record was accounted for, per batch that the longer one has more; exit code 1 when the
// growth while it ran is above 64 bytes. bench/pipeline_memory.py does the same with whole commands.
//
// usage: batch_memory [BATCHES]   of the shorter run; 20000 unless told
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <cstdlib>

#include "base/files/temporary_folder.h"
#include "base/memory/resident.h"
#include "pipeline/account/account.h"
#include "pipeline/engine/fake_stages.h"
#include "pipeline/record/run_journal.h"

namespace takt {
namespace {

constexpr double most_while_running = 64;

struct Growth {
  double running = 0, read_back = 0, accounted = 0;  ///< bytes above what was resident before, at most
};

/// Looks how much is resident, at each call and while a run tells its progress.
class Watch {
 public:
  Watch() : before_(resident_bytes().value_or(0)) {}
  void look() { most_ = std::max(most_, resident_bytes().value_or(0)); }
  double growth() const { return static_cast<double>(std::max(most_ - before_, std::int64_t{0})); }

 private:
  std::int64_t before_, most_ = 0;
};

Growth run(std::int64_t batches) {
  ::malloc_trim(0);
  const TemporaryFolder folder("takt-run-memory");
  RunJournal journal(folder.path() / "run.journal");
  Watch watch;
  EngineSettings settings;
  settings.sink = &journal;
  settings.progress = [&](std::int64_t, std::int64_t) { watch.look(); };
  FakeEngine engine(
      fmt::format("batches: {}\nstages:\n  - {{name: a, dummy: {{matmul: 8}}, device: CPU}}\n"
                  "  - {{name: b, dummy: {{matmul: 8}}, device: CPU, replicas: 2}}\n"
                  "  - {{name: c, dummy: {{matmul: 8}}, device: CPU}}\n",
                  batches),
      [](int, int, int) { return [](std::int64_t) { return std::nullopt; }; }, settings);
  Growth growth;
  engine.run();
  growth.running = watch.growth();
  watch.look();
  growth.read_back = watch.growth();
  const Accounts accounts = account(engine.result);
  watch.look();
  growth.accounted = watch.growth();
  if (engine.result.schedule.batches.size() != static_cast<std::size_t>(batches)) std::exit(2);
  return growth;
}

int compare(std::int64_t batches) {
  run(batches);  // what is made once
  const Growth few = run(batches), many = run(10 * batches);
  const auto per_batch = [&](double Growth::*phase) {
    return (many.*phase - few.*phase) / static_cast<double>(9 * batches);
  };
  const double running = per_batch(&Growth::running);
  fmt::print("{} and {} batches of 3 stages\n", batches, 10 * batches);
  fmt::print("while it runs    {:8.1f} bytes per batch  {} (at most {})\n", running,
             running <= most_while_running ? "PASS" : "FAIL", most_while_running);
  fmt::print("read back        {:8.1f} bytes per batch\n", per_batch(&Growth::read_back));
  fmt::print("accounted for    {:8.1f} bytes per batch\n", per_batch(&Growth::accounted));
  return running <= most_while_running ? 0 : 1;
}

}  // namespace
}  // namespace takt

int main(int count, char** arguments) {
  return takt::compare(count > 1 ? std::max(std::atoll(arguments[1]), 100LL) : 20'000);
}
