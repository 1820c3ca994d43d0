#include "training/steps/call_names.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>

#include "base/basics/text.h"

namespace takt {
namespace {

enum class Match : std::uint8_t { whole, part };

struct CallName {
  std::string_view word;  // in lower case
  Match match;
  Role role;
};

/// The first line that fits counts.
constexpr CallName calls[] = {
    // Waits that are called so by CUDA, HIP, Level Zero, SYCL, MTIA and Ascend.
    {"synchronize", Match::part, Role::synchronisation},
    // Copies that return when the data is there.
    {"cudamemcpy", Match::whole, Role::synchronisation},
    {"cudamemcpy2d", Match::whole, Role::synchronisation},
    {"cumemcpydtoh_v2", Match::whole, Role::synchronisation},
    {"cumemcpyhtod_v2", Match::whole, Role::synchronisation},
    {"hipmemcpy", Match::whole, Role::synchronisation},
    {"hipmemcpywithstream", Match::whole, Role::synchronisation},
    {"hipmemcpydtoh", Match::whole, Role::synchronisation},
    {"hipmemcpyhtod", Match::whole, Role::synchronisation},
    {"aclrtmemcpy", Match::whole, Role::synchronisation},
    // Waits with names of their own: SYCL's adapters, OpenCL, XLA.
    {"ureventwait", Match::whole, Role::synchronisation},
    {"urqueuefinish", Match::whole, Role::synchronisation},
    {"pieventswait", Match::whole, Role::synchronisation},
    {"piqueuefinish", Match::whole, Role::synchronisation},
    {"clfinish", Match::whole, Role::synchronisation},
    {"clwaitforevents", Match::whole, Role::synchronisation},
    {"blockhostuntildone", Match::part, Role::synchronisation},
    // Code that is put on the device.
    {"moduleload", Match::part, Role::loading},
    {"libraryload", Match::part, Role::loading},
    {"linkcomplete", Match::part, Role::loading},
    {"programbuild", Match::part, Role::loading},
    {"modulecreate", Match::part, Role::loading},
    // Memory.
    {"malloc", Match::part, Role::allocation},
    {"free", Match::part, Role::allocation},
    {"hostalloc", Match::part, Role::allocation},
    {"memalloc", Match::part, Role::allocation},
    {"memcreate", Match::part, Role::allocation},
    {"memrelease", Match::part, Role::allocation},
    {"memmap", Match::part, Role::allocation},
    {"mapmem", Match::part, Role::allocation},
    {"memunmap", Match::part, Role::allocation},
    {"memsetaccess", Match::part, Role::allocation},
    {"memaddressreserve", Match::part, Role::allocation},
    {"reservememaddress", Match::part, Role::allocation},
    {"hostregister", Match::part, Role::allocation},
    {"hostunregister", Match::part, Role::allocation},
    {"usmdevicealloc", Match::part, Role::allocation},
    {"usmhostalloc", Match::part, Role::allocation},
    {"usmsharedalloc", Match::part, Role::allocation},
    // Work.
    {"launch", Match::part, Role::launch},
    {"memcpy", Match::part, Role::launch},
    {"memset", Match::part, Role::launch},
    {"urenqueueeventswait", Match::part, Role::runtime},
    {"urenqueue", Match::part, Role::launch},
    {"pienqueue", Match::part, Role::launch},
    {"zecommandlistappend", Match::part, Role::launch},
    {"clenqueue", Match::part, Role::launch},
    {"runfunction", Match::part, Role::launch},
    {"aclopexecute", Match::part, Role::launch},
    {"executecomputation", Match::part, Role::launch},
};

/// In calls that give the device something to copy or fill, in lower case.
constexpr std::string_view copy_words[] = {"memcpy", "memset", "memfill", "usmfill", "appendmemory", "mempool"};

/// Spans of a program that get a batch, in lower case and without what joins words.
constexpr std::array<std::string_view, 10> loader_words{"dataload",   "datawait",  "getbatch",  "nextbatch",
                                                        "fetchbatch", "loadbatch", "batchload", "waitbatch",
                                                        "batchwait",  "fetchdata"};

std::string without_joints(std::string_view name) {
  std::string word;
  for (const char letter : lower_case(name))
    if (letter != '_' && letter != ' ' && letter != '-' && letter != '.') word += letter;
  return word;
}

}  // namespace

Role role_of_call(std::string_view name) {
  const std::string word = lower_case(name);
  for (const CallName& call : calls) {
    const bool fits = call.match == Match::whole ? word == call.word : word.find(call.word) != word.npos;
    if (fits) return call.role;
  }
  return Role::runtime;
}

bool gives_a_copy(std::string_view name) {
  const std::string word = lower_case(name);
  return std::any_of(std::begin(copy_words), std::end(copy_words),
                     [&](std::string_view part) { return word.find(part) != word.npos; });
}

bool maps_memory(std::string_view name) {
  const std::string word = lower_case(name);
  return word.find("memmap") != word.npos || word.find("mapmem") != word.npos || word.find("unmap") != word.npos;
}

bool is_data_wait(std::string_view name) {
  if (name.starts_with("enumerate(DataLoader)#") || name.starts_with("enumerate(DataPipe)#")) return true;
  const std::string word = without_joints(name);
  for (const std::string_view part : loader_words)
    if (word.find(part) != word.npos) return true;
  return false;
}

/// "torch/utils/data/dataloader.py(701): __next__", "datasets/iterable_dataset.py(2093): __iter__": whoever has an
/// iterator in Python gets batches from it. A generator's frame is there while it makes the next one.
bool is_loader_frame(std::string_view name) {
  if (name.ends_with("__next__") || name.find("DALI") != name.npos) return name.find("__next__") != name.npos;
  if (!name.ends_with(": __iter__")) return false;
  const std::string file = without_joints(name);
  return file.find("dataset") != file.npos || file.find("dataloader") != file.npos;
}

}  // namespace takt
