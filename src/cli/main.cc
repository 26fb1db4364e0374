// The command line: parses arguments, builds the parts, runs one command.

#include <algorithm>
#include <exception>

#include <CLI/CLI.hpp>

#include "tour.h"

namespace {

int report(const cairn::Result<void>& outcome) {
  if (outcome) return 0;
  fmt::print(stderr, "cairn: {}\n", outcome.error().render());
  return cairn::info(outcome.error().code).exit_code;
}

int run(int argc, char** argv) {
  CLI::App app("Cairn: a content-addressed, versioned store of files and JSON for AI agents");
  app.set_version_flag("--version", "cairn " CAIRN_VERSION);
  app.require_subcommand(1);

  cairn::TourOptions tour;
  auto* tour_command = app.add_subcommand("tour", "Import a directory into a depot and show it");
  tour_command->add_option("--data", tour.data, "The data directory")->required();
  tour_command->add_option("source", tour.source, "The directory to import")->required();

  auto is_named = [&](const CLI::App* command) { return command->get_name() == argv[1]; };
  if (argc > 1 && argv[1][0] != '-' &&
      std::ranges::none_of(app.get_subcommands(nullptr), is_named)) {
    fmt::print(stderr, "cairn: there is no command '{}'; see cairn --help\n", argv[1]);
    return 2;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (tour_command->parsed()) return report(cairn::run_tour(tour));
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "cairn: INTERNAL: {}\n", error.what());
    return 6;
  }
}
