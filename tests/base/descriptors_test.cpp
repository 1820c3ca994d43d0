// No descriptor that takt opens lives on in its children: by what is opened at each place, by what a child sees, and by
// the source. A new place that opens something has to be named here, and is run by a test of this file or of
// predict/load/metrics_server_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>

#include "base/basics/leftovers.h"
#include "base/files/abandoned_file.h"
#include "base/files/block_file.h"
#include "base/files/file.h"
#include "base/files/file_lock.h"
#include "base/files/folder_lock.h"
#include "base/files/journal.h"
#include "base/files/temporary_folder.h"
#include "base/memory/spill.h"
#include "base/opened_descriptors.h"
#include "base/system/apart.h"
#include "base/system/child_process.h"
#include "base/system/programs.h"
#include "base/system/usage.h"
#include "places.h"
#include "test_folder.h"

namespace takt {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

struct Opening {
  const char* what;
  const char* functions;  ///< that are called at least, in this order, apart from others
  std::function<void(const TestFolder& folder)> act;
};

std::string words_of(const OpenedDescriptors& opened) {
  return opened.functions() + "; inherited: " + opened.inherited();
}

/// What a copy of this process opens before and while it does `work`.
std::string opened_apart(const std::function<void(OpenedDescriptors&)>& work) {
  OpenedDescriptors opened;
  const DoneApart done = do_apart(
      [&] {
        work(opened);
        return words_of(opened);
      },
      60s);
  EXPECT_EQ(done.end, DoneApart::End::answered) << done.reason;
  return done.answer;
}

std::vector<Opening> openings() {
  const auto lines_of = [](ChildProcess::Input kind) {
    return [kind](const TestFolder&) {
      ChildProcess child({"/bin/sh", "-c", "exit 0"}, "word\n", kind);
      child.end();
    };
  };
  return {
      {"a journal and its new name", "open open", [](const TestFolder& f) { Journal(f / "j.jsonl").append("{}"); }},
      {"a locked file", "open", [](const TestFolder& f) { FileLock(f / "lock"); }},
      {"a locked folder", "open", [](const TestFolder& f) { FolderLock(f.path()); }},
      {"a file that is read", "open", [](const TestFolder& f) { read_file(f / "there"); }},
      {"a file read in pieces", "open", [](const TestFolder& f) { InputFile(f / "there"); }},
      {"a mapped file", "open", [](const TestFolder& f) { MappedFile(f / "there"); }},
      {"a file that is written", "open fcntl", [](const TestFolder& f) { write_file_atomically(f / "new", "text"); }},
      {"a device that is written", "open", [](const TestFolder&) { write_file_atomically("/dev/null", "text"); }},
      {"a file of blocks", "open", [](const TestFolder& f) { BlockWriter(f / "blocks", "magic", "ma"); }},
      {"a folder for a while", "open", [](const TestFolder&) { TemporaryFolder("takt-test-descriptors"); }},
      {"an abandoned file", "open", [](const TestFolder& f) { ::close(lock_abandoned(f / "there")); }},
      {"a child", "memfd_create pipe2 pipe2 memfd_create", lines_of(ChildProcess::Input::whole)},
      {"a child that is told more", "memfd_create pipe2 pipe2 socketpair socketpair",
       lines_of(ChildProcess::Input::open)},
      {"a copy of the process", "pipe2 pipe2", [](const TestFolder&) { do_apart([] { return "done"; }, 60s); }},
      // Its files are opened once in a process and stay: inheritable_descriptors() sees them.
      {"a spill file", "",
       [](const TestFolder&) {
         const Spill spill;
         std::vector<void*> blocks;
         for (std::size_t taken = 0; taken <= spill_memory_bytes; taken += spill_block_bytes)
           if (void* const block = Spill::take(spill_block_bytes)) blocks.push_back(block);
         for (void* const block : blocks) Spill::give_back(block);
       }},
  };
}

TEST(Descriptors, of_every_place_are_closed_in_children) {
  for (const Opening& one : openings()) {
    const TestFolder folder;
    folder.write("there", "text");
    const OpenedDescriptors opened;
    one.act(folder);
    EXPECT_THAT(opened.functions(), HasSubstr(one.functions)) << one.what;
    EXPECT_EQ(opened.inherited(), "") << one.what;
  }
  EXPECT_EQ(inheritable_descriptors(), "");
}

std::ptrdiff_t open_descriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
}

TEST(Descriptors, are_closed_when_what_they_were_opened_for_is_done) {
  std::vector<Opening> all = openings();
  all.push_back({"a look at the processes", "", [](const TestFolder& f) { ProgramWatch(f.path(), 99).look(); }});
  all.push_back({"how a process uses its processors", "", [](const TestFolder&) { UsageReader().read_all(); }});
  for (const Opening& one : all) {
    const TestFolder folder;
    folder.write("there", "text");
    std::filesystem::create_directory(folder / "12");
    folder.write("12/stat", "12 (busy) R 1");
    one.act(folder);  // what is opened once in a process is open then
    const auto before = open_descriptors();
    one.act(folder);
    EXPECT_EQ(open_descriptors(), before) << one.what;
  }
}

TEST(Descriptors, of_a_copy_of_the_process_are_closed_in_its_children) {
  EXPECT_EQ(opened_apart([](OpenedDescriptors&) {}), "pipe2 pipe2 open; inherited: ") << "/dev/null";
  const TestFolder folder;
  folder.write("inside/file", "text");
  EXPECT_THAT(opened_apart([&](OpenedDescriptors&) {
                const Leftover leftover(folder / "inside");
                remove_leftovers();
              }),
              HasSubstr("openat; inherited: "));
  EXPECT_FALSE(std::filesystem::exists(folder / "inside"));
}

/// Descriptors that a child of this process has, as links.
std::multiset<std::string> seen_by_a_child() {
  ChildProcess child({"/bin/sh", "-c", "for f in /proc/$$/fd/*; do readlink $f; done"}, "");
  std::multiset<std::string> links;
  std::string line;
  while (child.next(line, 60s) == ChildProcess::Answer::line)
    if (line.find(':') == line.npos) links.insert(line);  // numbers of pipes and sockets differ from child to child
  return links;
}

TEST(Descriptors, are_not_seen_by_a_child) {
  const auto before = seen_by_a_child();
  const TestFolder folder;
  folder.write("there", "text");
  const Journal journal(folder / "j.jsonl");
  const FileLock lock(folder / "lock");
  const FolderLock folder_lock(folder.path());
  const InputFile input(folder / "there");
  const MappedFile mapped(folder / "there");
  AtomicFile written(folder / "new");
  written.append("text");
  const BlockWriter blocks(folder / "blocks", "magic", "ma");
  ChildProcess other({"/bin/sh", "-c", "read never"}, "", ChildProcess::Input::open);
  EXPECT_EQ(seen_by_a_child(), before);
}

/// By file under src: the functions of its calls that open, each as often as it is called.
using Places = std::map<std::string, std::multiset<std::string>>;

/// The arguments of a call, from behind its opening bracket.
std::string arguments_at(const std::string& text, std::size_t at) {
  const std::size_t begin = at;
  for (int depth = 1; at < text.size(); ++at) {
    depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
    if (depth == 0) break;
  }
  return text.substr(begin, at - begin);
}

TEST(Descriptors, are_opened_with_the_flag_at_every_place_of_the_source) {
  static const std::regex opening(
      R"(::(open|open64|openat|creat|socket|socketpair|accept|accept4|pipe|pipe2|dup|dup2|dup3|fcntl|mkstemp|mkostemp|)"
      R"(memfd_create|shm_open|eventfd|timerfd_create|signalfd|epoll_create|epoll_create1|inotify_init|inotify_init1|)"
      R"(fopen|freopen|fdopen|popen|tmpfile)\()");
  const std::regex stream(R"(std::([io]?fstream) )");
  Places places, streams;
  for (const char* folder : {"src", "include"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(source_dir() / folder)) {
      if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
      const std::string text = read_file(entry.path());
      const std::string name = entry.path().lexically_relative(source_dir() / folder).string();
      for (std::sregex_iterator call(text.begin(), text.end(), opening), end; call != end; ++call) {
        const auto behind = static_cast<std::size_t>(call->position() + call->length());
        const std::string arguments = arguments_at(text, behind), function = (*call)[1];
        if (call->position() > 0 && text[static_cast<std::size_t>(call->position()) - 1] != ' ' &&
            text[static_cast<std::size_t>(call->position()) - 1] != '(')
          continue;  // a member of a class: Loader::open(
        if (function == "fcntl" && arguments.find("F_DUPFD") == arguments.npos) continue;
        places[name].insert(function);
        // A copy's standard streams are to live on.
        EXPECT_TRUE(arguments.find("CLOEXEC") != arguments.npos ||
                    (function == "dup2" && name == "base/system/apart.cpp"))
            << name << ": ::" << function << "(" << arguments << ")";
      }
      for (std::sregex_iterator use(text.begin(), text.end(), stream), end; use != end; ++use)
        streams[name].insert((*use)[1]);
    }
  EXPECT_EQ(places, (Places{{"base/files/abandoned_file.cpp", {"open", "open"}},
                            {"base/system/apart.cpp", {"dup2", "open", "pipe2"}},
                            {"base/files/block_file.cpp", {"open"}},
                            {"base/system/child_process.cpp", {"memfd_create", "pipe2", "socketpair"}},
                            {"base/files/file.cpp", {"fcntl", "open", "open"}},
                            {"base/files/file_lock.cpp", {"open"}},
                            {"base/files/folder_lock.cpp", {"open"}},
                            {"base/files/journal.cpp", {"open", "open"}},
                            {"base/basics/leftovers.cpp", {"openat"}},
                            {"base/memory/spill.cpp", {"mkostemp", "open"}},
                            {"base/files/temporary_folder.cpp", {"open"}},
                            {"predict/sources/metrics_server.cpp", {"accept4", "socket"}}}))
      << "add what opens there to this list and to a test that runs it";
  // Streams have no such flag: only for what is read or written in one go, and locks nothing.
  EXPECT_EQ(streams, (Places{{"base/files/block_file.cpp", {"ifstream"}},
                             {"base/memory/resident.cpp", {"ifstream", "ofstream"}},
                             {"model/runtime/model_file.cpp", {"ifstream"}},
                             {"model/openvino/mapped_weights.cpp", {"ofstream"}},
                             {"model/openvino/runtime.cpp", {"ifstream"}}}))
      << "read and write files by core/file.h";
}

}  // namespace
}  // namespace takt
