// What uses the recorder, compiled with TAKT_RECORDER_OFF and linked with nothing of takt: it links only if no code is
// left that calls any.
#define TAKT_RECORDER_OFF
#include "takt/recorder.h"

#include <cstdio>
#include <type_traits>

int main(int, char** argv) {
  takt::Recorder recorder({.process = "off", .file = argv[0]});
  recorder.name_thread("main");
  const takt::RecorderRow row = recorder.add_row("device");
  static const takt::EventName name("infer", "stage", "batch");
  static const takt::ArgumentName note("note");
  {
    takt::Scope scope(recorder, name, 1, 2, row);
    scope.add(note, "text");
    scope.add(note, 1.5);
    scope.set_name("other");
  }
  takt::EventArguments more;
  more.add(note, 7);
  recorder.record(name, takt::TickClock::now(), takt::TickClock::now(), more, 1);
  recorder.record(name, takt::TickClock::now(), takt::TickClock::now());
  recorder.count(name, 1);
  recorder.frame(name);
  recorder.collect();
  recorder.write("/no/such/folder/run.json");  // the real one would throw
  static_assert(std::is_empty_v<takt::Scope> && std::is_empty_v<takt::Recorder> && std::is_empty_v<takt::EventName>);
  const bool is_off = !recorder.enabled() && recorder.recorded() == 0 && recorder.dropped() == 0;
  std::puts(is_off ? "nothing recorded" : "something recorded");
  return is_off ? 0 : 1;
}
