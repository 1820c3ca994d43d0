#include "core/interrupt.h"

#include <csignal>

namespace takt {
namespace {

std::atomic<bool> asked_to_stop{false};
static_assert(std::atomic<bool>::is_always_lock_free, "set from a signal handler");

void set_action(void (*action)(int), int flags) {
  struct sigaction wanted {};
  wanted.sa_handler = action;
  wanted.sa_flags = flags;
  for (const int signal : {SIGINT, SIGTERM}) sigaction(signal, &wanted, nullptr);
}

}  // namespace

Interrupt::Interrupt() {
  asked_to_stop = false;
  set_action([](int) { asked_to_stop = true; }, static_cast<int>(SA_RESETHAND | SA_RESTART));
}

Interrupt::~Interrupt() { set_action(SIG_DFL, 0); }

const std::atomic<bool>& Interrupt::requested() const { return asked_to_stop; }

}  // namespace takt
