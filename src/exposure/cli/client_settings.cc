#include "exposure/cli/client_settings.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/quote.h"
#include "base/similar.h"
#include "data/json/json.h"

namespace cairn::cli {
namespace {

enum class Typed { kNo, kYes };

struct Client {
  std::string_view name;
  std::string_view file;
  std::string_view section;    // the member the servers are in; empty: TOML
  std::string_view url_key;    // of an endpoint; empty: it takes none
  std::string_view reference;  // to the environment's CAIRN_TOKEN; empty: it knows none
  Typed typed = Typed::kNo;    // whether `type` says which of the two it is
};

constexpr std::array kClients = {
    Client{.name = "claude-desktop",
           .file = "claude_desktop_config.json in ~/Library/Application Support/Claude (macOS), "
                   "%APPDATA%\\Claude (Windows) or ~/.config/Claude (Linux)",
           .section = "mcpServers",
           .url_key = "",
           .reference = ""},
    Client{.name = "claude-code",
           .file = ".mcp.json in the project's directory",
           .section = "mcpServers",
           .url_key = "url",
           .reference = "${CAIRN_TOKEN}",
           .typed = Typed::kYes},
    Client{.name = "cursor",
           .file = "~/.cursor/mcp.json, or .cursor/mcp.json in the project's directory",
           .section = "mcpServers",
           .url_key = "url",
           .reference = "${env:CAIRN_TOKEN}"},
    Client{.name = "vscode",
           .file =
               ".vscode/mcp.json in the workspace, or the file that the command 'MCP: Open User "
               "Configuration' opens",
           .section = "servers",
           .url_key = "url",
           .reference = "${env:CAIRN_TOKEN}",
           .typed = Typed::kYes},
    Client{.name = "zed",
           .file = "~/.config/zed/settings.json, or .zed/settings.json in the project's directory",
           .section = "context_servers",
           .url_key = "url",
           .reference = ""},
    Client{.name = "codex",
           .file = "~/.codex/config.toml",
           .section = "",
           .url_key = "url",
           .reference = "CAIRN_TOKEN"},
    Client{.name = "windsurf",
           .file = "~/.codeium/windsurf/mcp_config.json",
           .section = "mcpServers",
           .url_key = "serverUrl",
           .reference = "${env:CAIRN_TOKEN}"},
};

Result<const Client*> find_client(std::string_view name) {
  std::vector<std::string> names;
  for (const Client& client : kClients) {
    if (client.name == name) return &client;
    names.emplace_back(client.name);
  }
  return fail(Code::kInvalidArgument, "there is no client '{}'{} there are: {}", shown(name),
              hint_for(name, names, ";"), fmt::join(names, ", "));
}

Result<void> check(const Client& client, const ClientSettings& settings) {
  const auto plain = [](char c) { return is_alphanumeric(c) || c == '_' || c == '-'; };
  if (settings.name.empty() || settings.name.size() > 64 ||
      !std::ranges::all_of(settings.name, plain)) {
    return fail(Code::kInvalidArgument, "'{}' has to be 1 to 64 letters, digits, '_' and '-'",
                shown(settings.name));
  }
  if (!settings.url.empty() && client.url_key.empty()) {
    return fail(Code::kInvalidArgument,
                "{} starts programs only; without --http it starts 'cairn mcp', which also reaches "
                "a server",
                client.name);
  }
  return {};
}

// As the client is to find it.
std::string token_text(const Client& client, const ClientSettings& settings) {
  return std::string(client.reference.empty() ? settings.token : client.reference);
}

json::Object endpoint(const Client& client, const ClientSettings& settings) {
  json::Object out;
  if (client.typed == Typed::kYes) out["type"] = "http";
  out[client.url_key] = settings.url;
  json::Object headers;
  if (settings.needs_token) headers["Authorization"] = "Bearer " + token_text(client, settings);
  for (const auto& [name, value] : settings.headers) headers[name] = value;
  if (!headers.empty()) out["headers"] = std::move(headers);
  return out;
}

json::Object program(const Client& client, const ClientSettings& settings) {
  json::Object out;
  if (client.typed == Typed::kYes) out["type"] = "stdio";
  out["command"] = settings.command;
  out["args"] = json::Array(settings.arguments.begin(), settings.arguments.end());
  return out;
}

// A string quoted as JSON is one that TOML reads.
std::string toml_text(std::string_view text) { return json::write(json::Value(text)); }

std::string toml(const ClientSettings& settings) {
  std::string out = fmt::format("[mcp_servers.{}]\n", settings.name);
  if (settings.url.empty()) {
    std::vector<std::string> arguments;
    for (const auto& argument : settings.arguments) arguments.push_back(toml_text(argument));
    out += fmt::format("command = {}\nargs = [{}]\n", toml_text(settings.command),
                       fmt::join(arguments, ", "));
    return out;
  }
  out += fmt::format("url = {}\n", toml_text(settings.url));
  if (settings.needs_token) out += "bearer_token_env_var = \"CAIRN_TOKEN\"\n";
  std::vector<std::string> headers;
  for (const auto& [name, value] : settings.headers) {
    headers.push_back(fmt::format("{} = {}", toml_text(name), toml_text(value)));
  }
  if (!headers.empty()) out += fmt::format("http_headers = {{ {} }}\n", fmt::join(headers, ", "));
  return out;
}

std::string shell_word(std::string_view word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,@%+";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) {
    return std::string(word);
  }
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// The same for Claude Code as a command.
std::string add_command(const ClientSettings& settings) {
  std::vector<std::string> words = {"claude", "mcp", "add", "--scope", "user"};
  if (settings.url.empty()) {
    words.push_back(settings.name);
    words.insert(words.end(), {"--", settings.command});
    words.insert(words.end(), settings.arguments.begin(), settings.arguments.end());
  } else {
    words.insert(words.end(), {"--transport", "http", settings.name, settings.url});
    if (settings.needs_token) {
      words.insert(words.end(), {"--header", "Authorization: Bearer ${CAIRN_TOKEN}"});
    }
    for (const auto& [name, value] : settings.headers) {
      words.insert(words.end(), {"--header", fmt::format("{}: {}", name, value)});
    }
  }
  for (auto& word : words) word = shell_word(word);
  return fmt::format("{}", fmt::join(words, " "));
}

}  // namespace

Result<void> check_settings(std::string_view client, const ClientSettings& settings) {
  return check(*TRY(find_client(client)), settings);
}

Result<SettingsBlock> settings_block(std::string_view client_name, const ClientSettings& settings) {
  const Client& client = *TRY(find_client(client_name));
  TRY(check(client, settings));
  if (settings.needs_token && client.reference.empty() && settings.token.empty()) {
    return fail(Code::kInvalidToken, "{} does not look for a token in the environment",
                client.name);
  }
  SettingsBlock block{.text = {}, .file = std::string(client.file), .notes = {}};
  if (client.section.empty()) {
    block.text = toml(settings);
  } else {
    auto server = settings.url.empty() ? program(client, settings) : endpoint(client, settings);
    block.text = json::write_pretty(
        json::Object{{client.section, json::Object{{settings.name, std::move(server)}}}});
    block.text += '\n';
  }
  if (settings.needs_token && client.reference.empty()) {
    block.notes.emplace_back("the token stands in this block: nobody else should read that file");
  } else if (settings.needs_token) {
    block.notes.emplace_back(
        fmt::format("{} has to be started with the token in CAIRN_TOKEN{}", client.name,
                    settings.token_file.empty()
                        ? ""
                        : fmt::format(": CAIRN_TOKEN=$(cat {})", shell_word(settings.token_file))));
  }
  if (client.name == "claude-code") {
    block.notes.push_back("or, for every project: " + add_command(settings));
  }
  return block;
}

}  // namespace cairn::cli
