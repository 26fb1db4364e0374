// The program: builds the parts, lets the command line choose one command, and runs it.

#include <exception>
#include <string>

#include <malloc.h>
#include <signal.h>

#include "base/guarded_clock.h"
#include "base/random.h"
#include "exposure/cli/commands.h"
#include "exposure/cli/kit.h"
#include "exposure/cli/output.h"
#include "tools/executor/meter.h"

namespace {

using namespace cairn;

// As a shell reports a program that SIGPIPE ended.
constexpr int kAbandoned = 141;

int finish(cli::Kit& kit, const Result<int>& outcome) {
  auto flushed = kit.out.flush();
  if (kit.out.abandoned()) return kAbandoned;
  const auto* error = !outcome ? &outcome.error() : !flushed ? &flushed.error() : nullptr;
  if (error == nullptr) return *outcome;
  cli::note(error->render());
  return info(error->code).exit_code;
}

int run(int argc, char** argv) {
  // Large buffers go back to the system when they are freed. Left to itself, glibc keeps such
  // memory for the next one: what a burst of large bodies took stays taken.
  ::mallopt(M_MMAP_THRESHOLD, 1024 * 1024);
  // A reader that has gone is seen when writing to it.
  ::signal(SIGPIPE, SIG_IGN);
  MachineClock clock;
  SystemRandom random;
  NoMeter meter;
  const cli::World world{clock, random, meter};
  cli::Kit kit(world);
  cli::Commands commands(kit.options);
  cli::add_all(commands);
  auto parsed = commands.parse(argc, argv);
  if (!parsed.run) return parsed.exit_code;
  kit.out.allow_colour(!kit.options.no_color);
  return finish(kit, parsed.run(kit));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    cairn::cli::note(std::string("INTERNAL: ") + error.what());
    return 6;
  }
}
