#include "base/system/usage.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/basics/text.h"
#include "base/files/file.h"
#include "base/system/affinity.h"

#ifdef __linux__
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#endif

namespace takt {
namespace {

template <typename T>
std::optional<T> difference(const std::optional<T>& after, const std::optional<T>& before) {
  return after && before ? std::optional<T>(*after - *before) : std::nullopt;
}

}  // namespace

Usage operator-(const Usage& after, const Usage& before) {
  Usage delta;
  delta.run_delay = difference(after.run_delay, before.run_delay);
  delta.cpu_time = difference(after.cpu_time, before.cpu_time);
  delta.voluntary_switches = difference(after.voluntary_switches, before.voluntary_switches);
  delta.involuntary_switches = difference(after.involuntary_switches, before.involuntary_switches);
  delta.minor_faults = difference(after.minor_faults, before.minor_faults);
  delta.major_faults = difference(after.major_faults, before.major_faults);
  delta.machine_busy = difference(after.machine_busy, before.machine_busy);
  delta.steal = difference(after.steal, before.steal);
  delta.throttled = difference(after.throttled, before.throttled);
  delta.mhz = after.mhz;
  return delta;
}

#ifdef __linux__

namespace {

class ReadOnly {
 public:
  ReadOnly() = default;
  explicit ReadOnly(const std::string& path, int flags = 0)
      : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC | flags)) {}
  ReadOnly(ReadOnly&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  ReadOnly& operator=(ReadOnly&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~ReadOnly() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  explicit operator bool() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }

  /// From the start of the file, as much as fits; nullopt when it cannot be read, as when its thread has ended.
  std::optional<std::string_view> text(std::span<char> buffer) const {
    if (descriptor_ < 0) return std::nullopt;
    auto count = pread(descriptor_, buffer.data(), buffer.size(), 0);
    if (count <= 0) return std::nullopt;
    return std::string_view(buffer.data(), static_cast<std::size_t>(count));
  }

 private:
  int descriptor_ = -1;
};

/// Takes a number off the front of `text`, blanks before it too.
std::optional<std::int64_t> take_number(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t:"), text.size()));
  std::int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

/// The number after `key` at the start of a line.
std::optional<std::int64_t> number_of(std::string_view text, std::string_view key) {
  for (std::size_t at = 0; at < text.size();) {
    auto line = text.substr(at, text.find('\n', at) - at);
    if (line.starts_with(key)) {
      line.remove_prefix(key.size());
      return take_number(line);
    }
    at += line.size() + 1;
  }
  return std::nullopt;
}

std::optional<std::string> try_read(const std::filesystem::path& path) {
  std::string text(4096, '\0');
  auto found = ReadOnly(path.string()).text(text);
  return found ? std::optional(std::string(*found)) : std::nullopt;
}

/// Folders of this process's control group that limit processors, from its own upwards: version 2, then version 1.
std::vector<std::filesystem::path> control_groups(const std::filesystem::path& root = "/") {
  std::vector<std::filesystem::path> folders;
  auto add = [&](const char* mount, std::filesystem::path group) {
    const std::filesystem::path top = root / mount;
    for (group = group.relative_path(); !group.empty(); group = group.parent_path()) folders.push_back(top / group);
    folders.push_back(top);
  };
  for (const auto& line : split(try_read(root / "proc/self/cgroup").value_or(""), '\n')) {
    auto first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    auto controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    if (controllers == ",,") add("sys/fs/cgroup", line.substr(second + 1));
    if (controllers.find(",cpu,") != std::string::npos)
      for (const char* mount : {"sys/fs/cgroup/cpu", "sys/fs/cgroup/cpu,cpuacct"}) add(mount, line.substr(second + 1));
  }
  return folders;
}

std::optional<double> quota_of(const std::filesystem::path& group) {
  if (auto text = try_read(group / "cpu.max")) {  // "max 100000" or "50000 100000"
    std::string_view rest = *text;
    auto quota = take_number(rest), period = take_number(rest);
    if (quota && period && *period > 0) return static_cast<double>(*quota) / static_cast<double>(*period);
    return std::nullopt;
  }
  auto quota = try_read(group / "cpu.cfs_quota_us"), period = try_read(group / "cpu.cfs_period_us");
  if (!quota || !period) return std::nullopt;
  std::string_view quota_text = *quota, period_text = *period;
  auto used = take_number(quota_text), per = take_number(period_text);
  if (!used || !per || *used <= 0 || *per <= 0) return std::nullopt;
  return static_cast<double>(*used) / static_cast<double>(*per);
}

Nanoseconds clock_of(clockid_t clock) {
  timespec now{};
  if (clock_gettime(clock, &now) != 0) return {};
  return std::chrono::seconds(now.tv_sec) + Nanoseconds(now.tv_nsec);
}

/// The run delay of all threads. A thread that ended keeps counting with what it had, so that the sum never falls.
class ThreadDelays {
 public:
  std::optional<Nanoseconds> read() {
    struct stat status {};
    if (!folder_ || fstat(folder_.descriptor(), &status) != 0) return std::nullopt;
    // The kernel counts a folder's threads in its links: a cheap way to see that some are new.
    if (status.st_nlink != links_) refresh(), links_ = status.st_nlink;
    bool ended = false;
    std::array<char, 96> buffer;
    for (auto& [id, thread] : threads_) {
      auto text = thread.file.text(buffer);
      ended = ended || !text;
      if (!text) continue;
      take_number(*text);
      thread.delay = Nanoseconds(take_number(*text).value_or(thread.delay.count()));
    }
    if (ended) refresh();
    if (threads_.empty()) return std::nullopt;
    Nanoseconds sum = ended_;
    for (const auto& [id, thread] : threads_) sum += thread.delay;
    return sum;
  }

  /// Of /proc/self/task/ID/stat: "12 (name) S ..."; a name may hold anything, so the last bracket counts.
  bool others_sleep() {
    refresh();
    std::array<char, 256> buffer;
    for (const auto& [id, thread] : threads_) {
      if (id == gettid()) continue;
      auto text = ReadOnly("/proc/self/task/" + std::to_string(id) + "/stat").text(buffer);
      auto bracket = text ? text->rfind(") ") : std::string_view::npos;
      if (bracket != std::string_view::npos && text->substr(bracket + 2, 1) == "R") return false;
    }
    return true;
  }

 private:
  struct Thread {
    ReadOnly file;
    Nanoseconds delay{};
    bool alive = false;
  };

  void refresh() {
    for (auto& [id, thread] : threads_) thread.alive = false;
    if (DIR* folder = opendir("/proc/self/task")) {
      while (const dirent* entry = readdir(folder)) {
        std::string_view name = entry->d_name;
        auto id = take_number(name);
        if (id) see(*id);
      }
      closedir(folder);
    }
    std::erase_if(threads_, [&](const auto& entry) {
      if (!entry.second.alive) ended_ += entry.second.delay;
      return !entry.second.alive;
    });
  }

  void see(std::int64_t id) {
    auto [place, is_new] = threads_.try_emplace(id);
    if (is_new) place->second.file = ReadOnly("/proc/self/task/" + std::to_string(id) + "/schedstat");
    place->second.alive = static_cast<bool>(place->second.file);
  }

  ReadOnly folder_{"/proc/self/task", O_DIRECTORY};
  nlink_t links_ = 0;
  std::map<std::int64_t, Thread> threads_;
  Nanoseconds ended_{};
};

}  // namespace

CpuLimit cpu_limit(const std::filesystem::path& root) {
  CpuLimit limit;
  limit.cpus = usable_core_count();
  for (const auto& group : control_groups(root))
    if (auto quota = quota_of(group); quota && (!limit.quota || *quota < *limit.quota)) limit.quota = quota;
  return limit;
}

namespace {

std::optional<Nanoseconds> throttled_in(std::string_view text) {
  if (auto us = number_of(text, "throttled_usec ")) return std::chrono::microseconds(*us);
  if (auto ns = number_of(text, "throttled_time ")) return Nanoseconds(*ns);
  return std::nullopt;
}

}  // namespace

std::optional<Nanoseconds> group_throttled(const std::filesystem::path& root) {
  for (const auto& group : control_groups(root))
    if (auto text = try_read(group / "cpu.stat"); text && number_of(*text, "nr_throttled ")) return throttled_in(*text);
  return std::nullopt;
}

struct UsageReader::Files {
  ThreadDelays delays;
  std::vector<int> cpus = usable_cores();
  ReadOnly stat{"/proc/stat"}, group_stat;
  std::map<int, ReadOnly> clocks;  ///< by processor
  ReadOnly cpuinfo;
  std::vector<char> buffer = std::vector<char>(std::size_t{64} * 1024);
  Nanoseconds tick{1'000'000'000 / std::max(1L, sysconf(_SC_CLK_TCK))};
  Usage slow;  ///< what is read rarely
  std::optional<Nanoseconds> slow_read_at;
  Nanoseconds slow_cost{};

  Files() {
    for (const auto& group : control_groups())
      if (auto text = try_read(group / "cpu.stat"); text && number_of(*text, "nr_throttled ")) {
        group_stat = ReadOnly((group / "cpu.stat").string());
        break;
      }
    for (int cpu : cpus) {
      ReadOnly file("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cpufreq/scaling_cur_freq");
      if (file) clocks.emplace(cpu, std::move(file));
    }
    if (clocks.empty()) cpuinfo = ReadOnly("/proc/cpuinfo");
  }

  // Columns: user nice system idle iowait irq softirq steal; guest time is part of user.
  void read_processors() {
    auto text = stat.text(buffer);
    if (!text) return;
    Nanoseconds busy{}, stolen{};
    std::size_t found = 0, next = 0;
    for (std::size_t at = 0; at < text->size() && text->substr(at).starts_with("cpu");) {
      auto line = text->substr(at, text->find('\n', at) - at);
      at += line.size() + 1;
      if (line.starts_with("cpu ")) continue;
      line.remove_prefix(3);
      auto cpu = take_number(line);
      while (cpu && next < cpus.size() && cpus[next] < *cpu) ++next;
      if (!cpu || next == cpus.size() || cpus[next] != *cpu) continue;
      std::array<std::int64_t, 8> ticks{};
      for (auto& count : ticks) count = take_number(line).value_or(0);
      busy += (ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6]) * tick;
      stolen += ticks[7] * tick;
      ++found;
    }
    if (found == 0) return;
    slow.machine_busy = busy;
    slow.steal = stolen;
  }

  void read_throttling() {
    auto text = group_stat.text(buffer);
    if (!text) return;
    if (auto throttled = throttled_in(*text)) slow.throttled = throttled;
  }

  void read_clock() {
    if (auto file = clocks.find(sched_getcpu()); file != clocks.end()) {
      if (auto text = file->second.text(buffer))
        if (auto khz = take_number(*text)) slow.mhz = static_cast<double>(*khz) / 1000;
      return;
    }
    // Without frequency files, the first processors of /proc/cpuinfo: the kernel makes only as much text as is asked.
    if (auto text = cpuinfo.text(std::span(buffer).first(2048))) slow.mhz = number_of(*text, "cpu MHz");
  }

  // The system updates these every 10 ms; on machines where reading takes long it is made rarer still.
  bool are_slow_due() const {
    return !slow_read_at ||
           steady_now() - *slow_read_at > std::max<Nanoseconds>(Nanoseconds(10'000'000), 100 * slow_cost);
  }

  void read_slow() {
    Nanoseconds now = steady_now();
    read_processors();
    read_throttling();
    read_clock();
    slow_read_at = steady_now();
    slow_cost = *slow_read_at - now;
  }
};

UsageReader::UsageReader() : files_(std::make_unique<Files>()) {}
UsageReader::~UsageReader() = default;

Usage UsageReader::read_all() {
  files_->slow_read_at.reset();
  return read();
}

bool UsageReader::others_sleep() { return files_->delays.others_sleep(); }

std::optional<Nanoseconds> thread_cpu_time() { return clock_of(CLOCK_THREAD_CPUTIME_ID); }

Usage UsageReader::read() {
  if (files_->are_slow_due()) files_->read_slow();
  Usage usage = files_->slow;
  usage.run_delay = files_->delays.read();
  usage.cpu_time = clock_of(CLOCK_PROCESS_CPUTIME_ID);
  rusage totals{};
  if (getrusage(RUSAGE_SELF, &totals) == 0) {
    usage.voluntary_switches = totals.ru_nvcsw;
    usage.involuntary_switches = totals.ru_nivcsw;
    usage.minor_faults = totals.ru_minflt;
    usage.major_faults = totals.ru_majflt;
  }
  return usage;
}

#else

CpuLimit cpu_limit(const std::filesystem::path&) { return {}; }
std::optional<Nanoseconds> group_throttled(const std::filesystem::path&) { return std::nullopt; }
std::optional<Nanoseconds> thread_cpu_time() { return std::nullopt; }
struct UsageReader::Files {};
UsageReader::UsageReader() = default;
UsageReader::~UsageReader() = default;
Usage UsageReader::read() { return {}; }
Usage UsageReader::read_all() { return {}; }
bool UsageReader::others_sleep() { return true; }

#endif

}  // namespace takt
