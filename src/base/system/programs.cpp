#include "base/system/programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "base/basics/text.h"
#include "base/system/affinity.h"

#ifdef __linux__
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>
#endif

namespace takt {

std::string to_string(const ProgramTime& program) {
  const std::string name = printable(program.name);
  if (program.processes > 1) return fmt::format("{} ({} processes)", name, program.processes);
  return program.ids.empty() ? name : fmt::format("{} (process {})", name, program.ids.front());
}

#ifdef __linux__

namespace {

/// What /proc/ID/stat says of a process.
struct ProcessStat {
  std::string name;
  int parent = 0, threads = 1, processor = -1;
  std::int64_t ticks = 0, ticks_of_ended_children = 0, started = 0;
};

/// Of the blank-separated words behind the name, numbered as in proc(5): the state, a letter, is the third.
std::array<std::optional<std::int64_t>, 40> numbers_after(std::string_view text) {
  std::array<std::optional<std::int64_t>, 40> fields;
  for (std::size_t field = 3; field < fields.size(); ++field) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    const auto word = text.substr(0, text.find(' '));
    std::int64_t value = 0;
    if (std::from_chars(word.data(), word.data() + word.size(), value).ec == std::errc()) fields[field] = value;
    text.remove_prefix(word.size());
  }
  return fields;
}

/// "12 (name) S 1 ...": a name may hold anything, so the last bracket counts.
std::optional<ProcessStat> parse_stat(std::string_view text) {
  const auto open = text.find('('), close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return std::nullopt;
  const auto fields = numbers_after(text.substr(close + 1));
  if (!fields[15]) return std::nullopt;
  ProcessStat stat;
  stat.name = text.substr(open + 1, close - open - 1);
  stat.parent = static_cast<int>(fields[4].value_or(0));
  stat.ticks = fields[14].value_or(0) + *fields[15];
  stat.ticks_of_ended_children = fields[16].value_or(0) + fields[17].value_or(0);
  stat.threads = static_cast<int>(fields[20].value_or(1));
  stat.started = fields[22].value_or(0);
  stat.processor = static_cast<int>(fields[39].value_or(-1));
  return stat;
}

std::optional<std::string> text_of(const std::filesystem::path& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  char text[1024];
  const auto count = read(file, text, sizeof text);
  close(file);
  return count > 0 ? std::optional(std::string(text, static_cast<std::size_t>(count))) : std::nullopt;
}

std::vector<int> numbered_entries(const std::filesystem::path& folder) {
  std::vector<int> numbers;
  if (DIR* entries = opendir(folder.c_str())) {
    while (const dirent* entry = readdir(entries))
      if (const auto number = number_in<int>(std::string_view(entry->d_name))) numbers.push_back(*number);
    closedir(entries);
  }
  return numbers;
}

}  // namespace

struct ProgramWatch::Processes {
  struct Seen {
    ProcessStat stat;
    bool alive = true;
  };

  Processes(std::filesystem::path folder, int id)
      : proc(std::move(folder)), is_real(proc == "/proc"), self(id > 0 ? id : static_cast<int>(getpid())) {
    tick = Nanoseconds(1'000'000'000 / std::max(1L, sysconf(_SC_CLK_TCK)));
    for (const int core : usable_cores()) mine.push_back(core);
    restricted = static_cast<int>(mine.size()) < machine_core_count();
  }

  /// Whether a process can have run on processors that this one may use. Of a process with one thread the system says
  /// where it ran last; of others only where they may.
  bool is_near(int id, const ProcessStat& stat) const {
    if (!restricted) return true;
    const auto is_mine = [&](int core) { return std::binary_search(mine.begin(), mine.end(), core); };
    if (stat.threads == 1 && stat.processor >= 0) return is_mine(stat.processor);
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (!is_real || sched_getaffinity(id, sizeof allowed, &allowed) != 0) return true;
    return std::any_of(mine.begin(), mine.end(),
                       [&](int core) { return core < CPU_SETSIZE && CPU_ISSET(core, &allowed); });
  }

  /// This process, its children and theirs: what a worker starts is this program's doing, too. A parent has mostly the
  /// smaller number and is met first; once known, an own process stays one.
  bool is_own(int id, const ProcessStat& stat) {
    const auto known = own.find(id);
    const bool stays = known != own.end() && known->second == stat.started;  // else its number is used again
    if (id != self && stat.parent != self && !stays && own.count(stat.parent) == 0) return false;
    own[id] = stat.started;
    return true;
  }

  void count(const std::string& name, int id, std::int64_t ticks) {
    if (ticks <= 0) return;
    Total& total = totals[name];
    total.time += ticks * tick;
    if (id > 0 && std::find(total.ids.begin(), total.ids.end(), id) == total.ids.end()) total.ids.push_back(id);
  }

  void look() {
    for (auto& [id, process] : seen) process.alive = false;
    std::map<int, std::int64_t> grown;  // times of ended children, by parent
    for (const int id : numbered_entries(proc)) {
      const auto text = text_of(proc / std::to_string(id) / "stat");
      auto stat = text ? parse_stat(*text) : std::nullopt;
      if (!stat || is_own(id, *stat)) continue;
      auto [place, is_new] = seen.try_emplace(id, Seen{*stat});
      ProcessStat before = place->second.stat;
      // A number that is used again is another process.
      if (is_new || before.started != stat->started) before.ticks = before.ticks_of_ended_children = 0;
      if (began && is_near(id, *stat)) {
        count(stat->name, id, stat->ticks - before.ticks);
        if (!is_new) grown[id] = stat->ticks_of_ended_children - before.ticks_of_ended_children;
      }
      place->second = {std::move(*stat), true};
    }
    count_ended(grown);
    began = true;
  }

  /// The nearest ancestor that is still there: it has the account of all that ended below it.
  int heir_of(const Seen& process) const {
    auto parent = seen.find(process.stat.parent);
    while (parent != seen.end() && !parent->second.alive) parent = seen.find(parent->second.stat.parent);
    return parent == seen.end() ? 0 : parent->first;
  }

  /// A parent's growth holds all that its ended children ever used; what they had used at the last look was counted.
  void count_ended(std::map<int, std::int64_t>& grown) {
    for (const auto& [id, process] : seen)
      if (const auto heir = grown.find(heir_of(process)); !process.alive && heir != grown.end())
        heir->second -= process.stat.ticks + process.stat.ticks_of_ended_children;
    for (const auto& [id, ticks] : grown)
      if (const auto parent = seen.find(id); parent != seen.end())
        count("children of " + parent->second.stat.name, 0, ticks);
    std::erase_if(seen, [](const auto& entry) { return !entry.second.alive; });
  }

  struct Total {
    Nanoseconds time{};
    std::vector<int> ids;
  };

  std::filesystem::path proc;
  bool is_real, restricted = false, began = false;
  int self;
  Nanoseconds tick{}, looked_at{}, cost{};
  std::vector<int> mine;
  std::map<int, Seen> seen;
  std::map<int, std::int64_t> own;  ///< when they started, by id
  std::map<std::string, Total> totals;
};

ProgramWatch::ProgramWatch(std::filesystem::path proc, int self)
    : processes_(std::make_unique<Processes>(std::move(proc), self)) {}

void ProgramWatch::look() {
  const Nanoseconds begin = steady_now();
  processes_->look();
  processes_->looked_at = steady_now();
  processes_->cost = processes_->looked_at - begin;
}

void ProgramWatch::look_if_due() {
  if (steady_now() - processes_->looked_at >= 50 * processes_->cost) look();
}

std::vector<ProgramTime> ProgramWatch::programs() const {
  std::vector<ProgramTime> list;
  for (const auto& [name, total] : processes_->totals)
    list.push_back({name, static_cast<int>(total.ids.size()), total.ids, total.time});
  std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.cpu_time > b.cpu_time; });
  return list;
}

#else

struct ProgramWatch::Processes {};
ProgramWatch::ProgramWatch(std::filesystem::path, int) {}
void ProgramWatch::look() {}
void ProgramWatch::look_if_due() {}
std::vector<ProgramTime> ProgramWatch::programs() const { return {}; }

#endif

ProgramWatch::~ProgramWatch() = default;

}  // namespace takt
