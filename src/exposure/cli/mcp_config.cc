#include "exposure/cli/mcp_config.h"

#include <cerrno>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/os/disk_files.h"
#include "exposure/cli/client_settings.h"
#include "exposure/cli/delegate_rows.h"
#include "exposure/cli/identity.h"
#include "exposure/cli/kit.h"
#include "exposure/client/address.h"
#include "exposure/client/pages.h"
#include "exposure/serve/serve.h"

namespace cairn::cli {
namespace {

constexpr std::string_view kDefaultUrl = "http://127.0.0.1:8765";

std::string absolute_path(const std::filesystem::path& path) {
  return std::filesystem::absolute(path).lexically_normal().string();
}

std::vector<std::string> arguments_for(const Options& options, const McpArguments& given,
                                       const std::string& server) {
  std::vector<std::string> out = {"mcp"};
  if (on_directories(given)) {
    out.emplace_back("--root");
    for (const auto& root : given.roots) {
      if (!root.empty()) out.push_back(absolute_path(root));
    }
    if (given.answer_size) out.insert(out.end(), {"--answer-size", *given.answer_size});
  } else if (server.empty()) {
    out.insert(out.end(), {"--data", absolute_path(data_directory(options))});
  } else {
    out.insert(out.end(), {"--server", server});
    if (!options.ca_file.empty()) {
      out.insert(out.end(), {"--ca-file", absolute_path(options.ca_file)});
    }
  }
  for (const auto& choice : choices(given)) {
    if (choice.names) out.insert(out.end(), {std::string(choice.option), *choice.names});
  }
  if (given.read_only) out.emplace_back("--read-only");
  if (given.depot) out.insert(out.end(), {"--depot", *given.depot});
  if (given.directory) out.insert(out.end(), {"--directory", *given.directory});
  return out;
}

// The endpoint of the server that is named, has the directory open, or would by default.
Result<std::string> endpoint(const Options& options, const std::string& server,
                             const std::string& path) {
  if (!server.empty()) return TRY(http::Url::parse(server)).render() + path;
  const auto running = running_server(data_directory(options));
  return (running ? *running : std::string(kDefaultUrl)) + path;
}

// Whose rights the client gets, and how it shows that it has them.
enum class Access {
  kNone,    // directories of this machine, without a store
  kKey,     // a delegate of its own
  kSignIn,  // it signs in by itself, or uses what 'cairn login' keeps
  kOwner,   // the program acts as whoever owns the data directory
};

bool asks_for_key(const McpArguments& given) {
  return given.key || given.can_manage || !given.scope.empty() || !given.expires.empty();
}

Result<Access> access_of(const Kit& kit, const McpArguments& given, const std::string& server) {
  if (given.as_owner && (given.http || !server.empty() || asks_for_key(given))) {
    return fail(Code::kInvalidArgument,
                "--as-owner is for a program on a data directory, without a delegate; leave out "
                "what says otherwise");
  }
  if (on_directories(given)) {
    if (asks_for_key(given) || given.as_owner) {
      return fail(Code::kInvalidArgument,
                  "--root is used with the rights of its process; there is no delegate to limit");
    }
    return Access::kNone;
  }
  if (given.as_owner) return Access::kOwner;
  if (asks_for_key(given)) return Access::kKey;
  if (given.http) return Access::kSignIn;
  if (server.empty()) return Access::kKey;
  const bool known = TRY(find_identity(kit.options, server, kit.clock())).has_value();
  return known ? Access::kKey : Access::kSignIn;
}

Result<json::Object> wanted_delegate(client::Client& client, const McpArguments& given) {
  json::Object out{{"name", fmt::format("{} ({})", given.client, given.name)},
                   {"lasting", true},
                   {"canUpload", !given.read_only}};
  if (given.can_manage) out["canManageDepot"] = true;
  if (!given.expires.empty()) out["expiresIn"] = TRY(parse_duration(given.expires)).count();
  json::Array scope;
  for (const auto& root : given.scope) scope.emplace_back(TRY(scope_root(client, root)));
  if (!scope.empty()) {
    out["scope"] = std::move(scope);
  } else if (given.depot) {
    const auto title = given.depot->substr(0, given.depot->find('/'));
    out["delegatedDepots"] = json::Array{TRY(resolve_depot(client, title))};
  }
  if (given.directory) {
    out["directories"] =
        json::Array{json::Object{{"name", *given.directory}, {"write", !given.read_only}}};
  }
  return out;
}

// A key, and the file it is in.
struct Key {
  std::string text;
  std::filesystem::path file;
};

Result<Key> make_key(Kit& kit, const McpArguments& given) {
  auto& client = *TRY(kit.client(Create::kYes));
  const auto answer = TRY(client.call("create_delegate", TRY(wanted_delegate(client, given))));
  if (!answer.is_object()) return fail(Code::kInternal, "the server's answer is no object");
  const Arguments issued(answer.get_object());
  const Arguments delegate(client::object_of(issued.object(), "delegate"));
  // It becomes the name of a file: whatever a server says, it is an id.
  const auto id = TRY(DelegateId::parse(delegate.text("delegateId"))).render();
  Key key{.text = std::string(issued.text("accessToken")),
          .file = login::CredentialsFile::folder().parent_path() / "keys" /
                  fmt::format("{}-{}", given.client, id)};
  TRY(login::make_private_folder(key.file.parent_path()));
  TRY(os::replace_file(key.file, key.text + "\n", 0600));
  note(
      fmt::format("made the delegate {} for it, which may {} and sees {}; it ends {}, or with "
                  "'cairn delegate revoke {}'",
                  id, rights_of(delegate), sees(delegate), ends(delegate), id));
  return key;
}

void say_how_to_sign_in(const McpArguments& given, const std::string& server) {
  if (!given.http) {
    note(fmt::format("nobody is signed in to {0} here: run 'cairn login --server {0}' before",
                     server));
  } else if (given.client == "codex") {
    note(fmt::format("there is no secret in it: sign in with 'codex mcp login {}'", given.name));
  } else {
    note(
        fmt::format("there is no secret in it: {} opens a page to sign in when it first connects, "
                    "where you say what it may see",
                    given.client));
  }
}

}  // namespace

Result<int> run_mcp_config(Kit& kit, const McpArguments& given) {
  const auto& options = kit.options;
  TRY(check_mcp(given));
  TRY(check_machine(options, given));
  const auto server = TRY(named_server(options));
  if (on_directories(given) && given.http) {
    return fail(Code::kInvalidArgument, "--root is served on standard input and output only");
  }
  const auto access = TRY(access_of(kit, given, server));
  ClientSettings settings{.name = given.name};
  if (given.http) {
    settings.url = TRY(endpoint(options, server, path_of(given)));
    settings.headers = headers_of(given);
    settings.needs_token = access == Access::kKey;
  } else {
    settings.command = std::filesystem::read_symlink("/proc/self/exe").string();
    settings.arguments = arguments_for(options, given, server);
  }
  TRY(check_settings(given.client, settings));
  if (access == Access::kKey) {
    auto key = TRY(make_key(kit, given));
    if (given.http) {
      settings.token = std::move(key.text);
      settings.token_file = key.file.string();
    } else {
      settings.arguments.insert(settings.arguments.end(), {"--token-file", key.file.string()});
    }
  }
  const auto block = TRY(settings_block(given.client, settings));
  TRY(kit.out.write(block.text));
  note("this belongs into " + block.file);
  for (const auto& more : block.notes) note(more);
  if (access == Access::kSignIn) say_how_to_sign_in(given, server);
  if (given.http && server.empty()) note("'cairn serve' has to run for it");
  return 0;
}

}  // namespace cairn::cli
