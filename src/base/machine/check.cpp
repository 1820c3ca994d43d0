#include "base/machine/check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "base/system/usage.h"

namespace takt {
namespace {

// Below these, a machine is called quiet: a twentieth of a processor, a hundredth of the time.
constexpr double noticeable_load = 0.05, noticeable_steal = 0.01;

/// Files of the machine, without the blanks around them; nullopt: not there, or not for us.
class Files {
 public:
  explicit Files(std::filesystem::path root) : root_(std::move(root)) {}
  std::optional<std::string> text(const std::string& path) const {
    try {
      return std::string(trim(read_file(root_ / path)));
    } catch (const Error&) {
      return std::nullopt;
    }
  }
  std::optional<std::string> of_core(int core, const std::string& path) const {
    return text(fmt::format("sys/devices/system/cpu/cpu{}/{}", core, path));
  }

 private:
  std::filesystem::path root_;
};

/// Of "always [madvise] never", the word in brackets.
std::string chosen_of(std::string_view text) {
  const auto open = text.find('['), close = text.find(']');
  return open < close && close != std::string_view::npos ? std::string(text.substr(open + 1, close - open - 1))
                                                         : std::string(text);
}

MachineCondition governor(const Files& files, const CheckedMachine& machine) {
  std::map<std::string, int> governors;
  for (const int core : machine.cores)
    if (const auto name = files.of_core(core, "cpufreq/scaling_governor")) ++governors[*name];
  MachineCondition condition{"governor"};
  if (governors.empty()) return condition;
  for (const auto& [name, count] : governors)
    condition.found += fmt::format("{}{} on {} of {} cores", condition.found.empty() ? "" : ", ", printable(name),
                                   count, machine.cores.size());
  const bool steady = governors.size() == 1 && governors.contains("performance");
  condition.disturbs = steady ? Disturbs::no : Disturbs::yes;
  if (!steady) condition.fix = "cpupower frequency-set -g performance";
  return condition;
}

MachineCondition turbo(const Files& files, const CheckedMachine&) {
  MachineCondition condition{"turbo"};
  constexpr const char *intel = "sys/devices/system/cpu/intel_pstate/no_turbo",
                       *others = "sys/devices/system/cpu/cpufreq/boost";
  const auto off = files.text(intel), boost = files.text(others);
  if (!off && !boost) return condition;
  const bool on = off ? *off == "0" : *boost == "1";
  condition.disturbs = on ? Disturbs::yes : Disturbs::no;
  condition.found = on ? "on: the clock frequency depends on active cores and temperature" : "off";
  if (on) condition.fix = off ? fmt::format("echo 1 > /{}", intel) : fmt::format("echo 0 > /{}", others);
  return condition;
}

/// The first of each group of logical cores that share a core's units.
MachineCondition siblings(const Files& files, const CheckedMachine& machine) {
  MachineCondition condition{"sibling threads"};
  std::map<std::string, int> first_of_group;
  for (const int core : machine.cores)
    if (const auto list = files.of_core(core, "topology/thread_siblings_list")) first_of_group.emplace(*list, core);
  if (first_of_group.empty()) return condition;
  std::set<int> alone;
  bool shared = false;
  for (const auto& [list, core] : first_of_group)
    alone.insert(core), shared = shared || list.find_first_of(",-") != std::string::npos;
  condition.disturbs = shared ? Disturbs::yes : Disturbs::no;
  condition.found = shared ? fmt::format("{} logical cores share the units of {}", machine.cores.size(), alone.size())
                           : "none: a core runs one thread";
  if (shared)
    condition.fix = fmt::format(
        "use one of each pair (taskset -c {} takt run ...), or turn the others off (echo off > "
        "/sys/devices/system/cpu/smt/control)",
        fmt::join(alone, ","));
  return condition;
}

MachineCondition processor_share(const Files& files, const CheckedMachine& machine) {
  MachineCondition condition{"processor share"};
  if (!files.text("proc/self/cgroup")) return condition;
  const auto quota = cpu_limit(machine.root).quota;
  const auto cores = static_cast<double>(machine.cores.size());
  condition.found = quota ? fmt::format("the control group may use {:.3g} of {} CPUs", *quota, machine.cores.size())
                          : fmt::format("no limit on {} CPUs", machine.cores.size());
  condition.disturbs = quota && *quota < cores ? Disturbs::yes : Disturbs::no;
  if (condition.disturbs == Disturbs::yes)
    condition.fix = fmt::format("raise the container's limit (cpu.max), or use --threads {} or fewer",
                                std::max(1, static_cast<int>(*quota)));
  return condition;
}

MachineCondition huge_pages(const Files& files, const CheckedMachine&) {
  MachineCondition condition{"huge pages"};
  const auto enabled = files.text("sys/kernel/mm/transparent_hugepage/enabled");
  const auto defrag = files.text("sys/kernel/mm/transparent_hugepage/defrag");
  if (!enabled) return condition;
  const std::string when = chosen_of(*enabled), how = chosen_of(defrag.value_or(""));
  const bool stalls = when == "always" && how == "always";
  condition.disturbs = stalls ? Disturbs::yes : Disturbs::no;
  condition.found = printable(when) + (how.empty() ? "" : ", defragmentation " + printable(how));
  if (stalls) {
    condition.found += ": a program waits while the system compacts memory for it";
    condition.fix = "echo defer > /sys/kernel/mm/transparent_hugepage/defrag";
  }
  return condition;
}

MachineCondition timer(const Files& files, const CheckedMachine&) {
  static const std::set<std::string> fast{
      "tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter", "riscv_clocksource", "timebase"};
  MachineCondition condition{"timer"};
  const std::string folder = "sys/devices/system/clocksource/clocksource0/";
  const auto source = files.text(folder + "current_clocksource");
  if (!source) return condition;
  const bool is_fast = fast.contains(*source);
  condition.disturbs = is_fast ? Disturbs::no : Disturbs::yes;
  condition.found =
      printable(*source) + (is_fast ? "" : ": reading it needs a system call and takes about a microsecond");
  if (is_fast) return condition;
  const auto offered = split(files.text(folder + "available_clocksource").value_or(""), ' ');
  const auto better =
      std::find_if(offered.begin(), offered.end(), [&](const auto& name) { return fast.contains(name); });
  condition.fix = better == offered.end() ? "boot with clocksource=tsc tsc=reliable"
                                          : fmt::format("echo {} > /{}current_clocksource", *better, folder);
  return condition;
}

std::string names_of(const CheckedMachine& machine) {
  std::string names;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, machine.programs.size()); ++i)
    names += (names.empty() ? ": " : ", ") + to_string(machine.programs[i]);
  return names;
}

/// What was just seen, or else the mean number of running threads over the last minute.
MachineCondition load(const Files& files, const CheckedMachine& machine) {
  MachineCondition condition{"load"};
  const auto average = files.text("proc/loadavg");
  std::optional<double> busy;
  if (average) busy = number_in<double>(split(*average, ' ').front());
  if (machine.watched.count() > 0) {
    Duration used{};
    for (const ProgramTime& program : machine.programs) used += program.cpu_time;
    if (!machine.programs.empty() || !busy) busy = used / Duration(machine.watched);
  }
  if (!busy) return condition;
  condition.disturbs = *busy > noticeable_load ? Disturbs::yes : Disturbs::no;
  condition.found = fmt::format("other programs use {:.2f} of {} CPUs{}", *busy, machine.cores.size(),
                                condition.disturbs == Disturbs::yes ? names_of(machine) : "");
  if (condition.disturbs == Disturbs::yes)
    condition.fix = "stop them, or run the model on CPUs that they do not use (taskset -c LIST takt run ...)";
  return condition;
}

/// Since the machine was started; columns as in proc(5): user nice system idle iowait irq softirq steal.
MachineCondition steal(const Files& files, const CheckedMachine&) {
  MachineCondition condition{"steal"};
  const auto stat = files.text("proc/stat");
  if (!stat || !stat->starts_with("cpu ")) return condition;
  double all = 0, stolen = 0;
  int column = 0;
  for (const auto& word : split(stat->substr(4, stat->find('\n') - 4), ' '))
    if (const auto ticks = number_in<double>(word); ticks && column < 8)
      all += *ticks, stolen = ++column == 8 ? *ticks : 0;
  if (column < 8 || all <= 0) return condition;
  condition.disturbs = stolen / all > noticeable_steal ? Disturbs::yes : Disturbs::no;
  condition.found = fmt::format("the host took {:.1f} % of the CPU time since the start", stolen / all * 100);
  if (condition.disturbs == Disturbs::yes)
    condition.fix = "measure on a dedicated machine, or on dedicated virtual CPUs";
  return condition;
}

constexpr Column<MachineCondition> condition_columns[] = {
    {"condition", "Condition", [](const MachineCondition& r) -> Cell { return r.name; },
     "Condition that may disturb measurements: governor and turbo (the clock frequency changes), sibling threads (two "
     "threads share a core's units), processor share (the container's CPU limit), huge pages (memory is compacted), "
     "timer (reading the clock is slow), load (other programs), steal (the host takes the virtual CPU)."},
    {"disturbs", "Disturbs",
     [](const MachineCondition& r) {
       return r.disturbs == Disturbs::not_told ? Cell() : Cell(std::string(r.disturbs == Disturbs::yes ? "yes" : "no"));
     },
     "Whether the condition disturbs measurements on the machine in its current state; empty if the system does not "
     "report it."},
    {"found", "Found", [](const MachineCondition& r) -> Cell { return r.found.empty() ? "not reported" : r.found; },
     "What the system reports about the condition."},
    {"remedy", "Fix", [](const MachineCondition& r) { return r.fix.empty() ? Cell() : Cell(r.fix); },
     "What to do about a condition that disturbs, as a command if there is one."},
};

constexpr TableDefinition<MachineCondition> conditions_definition{
    "conditions", "Conditions of the machine that disturb measurements (--check): a row per condition.",
    condition_columns};

}  // namespace

std::vector<MachineCondition> check_machine(const CheckedMachine& machine) {
  const Files files(machine.root);
  std::vector<MachineCondition> conditions;
  for (const auto check : {governor, turbo, siblings, processor_share, huge_pages, timer, load, steal})
    conditions.push_back(check(files, machine));
  return conditions;
}

Table conditions_table(const std::vector<MachineCondition>& conditions) {
  return conditions_definition.make(conditions);
}

TableSchema conditions_schema() { return conditions_definition.schema(); }

std::string conditions_summary(const std::vector<MachineCondition>& conditions) {
  const auto count = [&](Disturbs kind) {
    return std::count_if(conditions.begin(), conditions.end(), [&](auto& one) { return one.disturbs == kind; });
  };
  return fmt::format("{} of {} conditions disturb measurements here; the system does not report {}.",
                     count(Disturbs::yes), conditions.size(), count(Disturbs::not_told));
}

}  // namespace takt
