// cairn web.
//
// It prints the link and opens no browser: what stands in a command line other users of the machine
// can read, and the link is a secret.
#include <memory>
#include <string>
#include <string_view>

#include "base/quote.h"
#include "exposure/cli/commands.h"
#include "exposure/cli/kit.h"
#include "exposure/serve/server_file.h"
#include "tools/executor/arguments.h"

namespace cairn::cli {
namespace {

constexpr std::string_view kSocket = "unix:";

// Where a browser finds the server.
Result<std::string> address_of(const Kit& kit) {
  const auto url = TRY(named_server(kit.options));
  if (!url.empty() && !url.starts_with(kSocket)) return url;
  const auto data = url.empty() ? data_directory(kit.options)
                                : std::filesystem::path(url.substr(kSocket.size())).parent_path();
  const auto at = served_at(data);
  if (at) return at->url;
  return fail(Code::kUnavailable,
              "no server has {} open, so there is no page to sign in to; start one with 'cairn "
              "serve'",
              data.string());
}

Result<int> run_web(Kit& kit, const std::string& user) {
  auto address = TRY(address_of(kit));
  while (address.ends_with('/')) address.pop_back();
  auto& client = *TRY(kit.client());
  json::Object arguments;
  if (!user.empty()) arguments["userId"] = user;
  const auto made = TRY(client.call("create_sign_in_link", arguments));
  auto out = made.as_object();
  const auto link = address + std::string(Arguments(out).text("path"));
  if (kit.options.json) {
    out["url"] = link;
    kit.out.print_json(json::Value(std::move(out)));
    return 0;
  }
  kit.out.print("{}\n", link);
  note(fmt::format("open it in a browser: it signs {} in once, within ten minutes",
                   shown(Arguments(out).text("name"))));
  return 0;
}

}  // namespace

void add_web_command(Commands& commands) {
  auto user = std::make_shared<std::string>();
  auto command =
      commands.add({.name = "web",
                    .description = "Print a link that signs a browser in once",
                    .example = "cairn web --data /srv/cairn",
                    .more = "For the page of the server that has the data directory open. The link "
                            "is good for ten minutes.",
                    .group = "Server"},
                   [user](Kit& kit) { return run_web(kit, *user); });
  command.add_value("--user", *user, "NAME", "Somebody else, whom an admin invites");
}

}  // namespace cairn::cli
