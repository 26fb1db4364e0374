#include "exposure/cli/commands.h"
#include "exposure/cli/tour.h"
#include "exposure/serve/serve.h"

namespace cairn::cli {
namespace {

struct ServeArguments {
  std::string listen = "127.0.0.1:8787";
  std::string certificate;
  std::string key;
  std::string internal;
  std::string secret;
  std::string log = "text";
  ServeOptions options;
};

LogFormat log_format(std::string_view name) {
  if (name == "json") return LogFormat::kJson;
  return name == "none" ? LogFormat::kNone : LogFormat::kText;
}

Result<int> run_serve(Context& context, ServeArguments& given) {
  auto& options = given.options;
  if (!context.options.server.empty()) {
    return fail(Code::kInvalidArgument, "serve opens a data directory; it takes no --server");
  }
  TRY(parse_listen(given.listen, options.address, options.port));
  if (given.internal.empty() != given.secret.empty()) {
    return fail(Code::kInvalidArgument, "--internal-listen and --internal-secret go together");
  }
  if (!given.internal.empty()) {
    InternalListener internal{.address = "127.0.0.1", .port = 0, .secret_file = given.secret};
    TRY(parse_listen(given.internal, internal.address, internal.port));
    options.internal = std::move(internal);
  }
  options.data = data_directory(context.options);
  if (!given.certificate.empty()) options.tls_certificate = given.certificate;
  if (!given.key.empty()) options.tls_key = given.key;
  options.log = log_format(given.log);
  options.version = CAIRN_VERSION;
  TRY(serve(options, context.clock(), context.world().random));
  return 0;
}

}  // namespace

void add_serve_command(Commands& commands) {
  auto given = std::make_shared<ServeArguments>();
  auto* command = commands.add(
      {.name = "serve",
       .description = "Serve a data directory: REST API, and the store for other commands",
       .example = "cairn serve --data /srv/cairn --listen 127.0.0.1:8787",
       .more =
           "Makes the data directory when there is none, with the owner's token in owner.token.\n"
           "SIGTERM and SIGINT end it when what was running has finished.",
       .group = "Server"},
      [given](Context& context) { return run_serve(context, *given); });
  add_value(command, "--listen", given->listen, "ADDRESS:PORT", "Where [127.0.0.1:8787]");
  command->add_flag("--behind-proxy", given->options.behind_proxy,
                    "Plain HTTP on any address: a proxy ends TLS");
  add_value(command, "--tls-cert", given->certificate, "FILE", "Certificate chain, PEM");
  add_value(command, "--tls-key", given->key, "FILE", "Its key, PEM");
  add_value(command, "--internal-listen", given->internal, "ADDRESS:PORT",
            "Also for front ends of your own: /internal/aei and /internal/adi");
  add_value(command, "--internal-secret", given->secret, "FILE",
            "Its first line is the secret they send as bearer token");
  add_value(command, "--log-format", given->log, "FORMAT", "text, json or none [text]")
      ->check(CLI::IsMember({"text", "json", "none"}));
  add_value(command, "--rate", given->options.rate, "N",
            "Calls a second for each delegate but the owners; 0: no limit [1000]")
      ->check(CLI::NonNegativeNumber);

  auto tour = std::make_shared<TourOptions>();
  auto* tour_command = commands.add(
      {.name = "tour",
       .description = "Import a directory into a depot and show it, without a server",
       .example = "cairn tour --data /tmp/cairn-tour src",
       .group = "Server"},
      [tour](Context& context) -> Result<int> {
        if (context.options.data.empty()) {
          return fail(Code::kInvalidArgument, "name a data directory for the tour with --data");
        }
        tour->data = context.options.data;
        TRY(run_tour(*tour));
        return 0;
      });
  add_argument(tour_command, "DIR", tour->source, "The directory to import");
}

}  // namespace cairn::cli
