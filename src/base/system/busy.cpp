#include "base/system/busy.h"

#include <fmt/format.h>

#ifdef __unix__
#include <sys/resource.h>
#endif

#include <algorithm>

#include "base/system/log.h"

namespace takt {
namespace {

constexpr std::size_t most_named = 3;

/// Of this process and its children that have ended.
Nanoseconds own_time() {
  Nanoseconds sum{};
#ifdef __unix__
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    if (getrusage(who, &used) != 0) continue;
    for (const timeval& time : {used.ru_utime, used.ru_stime})
      sum += std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
  }
#endif
  return sum;
}

double in_processors(Nanoseconds time, Nanoseconds watched) {
  return watched.count() > 0 ? static_cast<double>(time.count()) / static_cast<double>(watched.count()) : 0;
}

}  // namespace

double BusyMachine::share() const { return processors > 0 ? std::min(1.0, others / processors) : 0; }

std::string to_string(const BusyMachine& busy, std::string_view what) {
  std::string text = fmt::format("other programs used {:.2f} of {:.2g} CPU{} during the {}", busy.others,
                                 busy.processors, busy.processors == 1 ? "" : "s", what);
  std::size_t named = 0;
  for (const ProgramTime& program : busy.programs) {
    const double used = in_processors(program.cpu_time, busy.watched);
    if (named == most_named || used < disturbed_share * busy.others) break;
    text += fmt::format("{} {} {:.2f}", named++ == 0 ? ":" : ",", to_string(program), used);
  }
  if (named == 0) text += " (the system does not show which)";
  return text + "; times are longer than on an idle machine";
}

BusyWatch::BusyWatch() : began_(steady_now()), own_(own_time()), before_(usage_.read_all()) { programs_.look(); }

std::optional<BusyMachine> BusyWatch::found() {
  programs_.look();
  const Usage used = usage_.read_all() - before_;
  BusyMachine busy;
  busy.watched = watched();
  if (busy.watched < shortest_watch) return std::nullopt;
  busy.processors = cpu_limit().processors();
  busy.programs = programs_.programs();
  Nanoseconds seen{};
  for (const ProgramTime& program : busy.programs) seen += program.cpu_time;
  if (used.machine_busy) seen = std::max(seen, *used.machine_busy - (own_time() - own_));
  // A process on processors that this one may not use is counted whole where it may run on both.
  busy.others = std::min(in_processors(seen, busy.watched), static_cast<double>(cpu_limit().cpus));
  return busy.share() >= disturbed_share ? std::optional(busy) : std::nullopt;
}

Nanoseconds BusyWatch::watched() const { return steady_now() - began_; }

void BusyWatch::tell(const std::string& consequence) {
  if (const auto busy = found()) log_warning(to_string(*busy) + consequence);
}

}  // namespace takt
