#include "exposure/agent/completion.h"

#include <algorithm>

#include "base/quote.h"
#include "data/tree/path.h"
#include "exposure/agent/outcome.h"
#include "exposure/agent/prompts.h"
#include "exposure/agent/resources.h"

namespace cairn::agent {
namespace {

constexpr std::size_t kMaxValues = 100;
// As many pages of a list as are looked through.
constexpr int kMaxPages = 20;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool begins(std::string_view text, std::string_view with) {
  return text.size() >= with.size() &&
         std::ranges::equal(text.substr(0, with.size()), with, {}, lower, lower);
}

std::string_view bare(std::string_view id) { return id.substr(4); }

class Completer final {
 public:
  Completer(Executor& executor, const Caller& caller) : executor_(executor), caller_(caller) {}

  enum class Prefix { kWith, kWithout };

  // By id or title. Ids in URIs stand without prefix, unless one was typed.
  Result<mcp::Completion> depots(std::string_view typed, Prefix prefix) {
    if (typed.starts_with("dpt_")) prefix = Prefix::kWith;
    return pages("list_depots", {{"limit", 1000}}, "depots", [&](const json::Object& depot) {
      const auto id = json::text(depot.at("depotId"));
      const bool matches = begins(id, typed) || begins(bare(id), typed) ||
                           begins(json::text(depot.at("title")), typed);
      if (matches) add(prefix == Prefix::kWith ? id : bare(id));
      return true;
    });
  }

  Result<mcp::Completion> roots(std::string_view typed) {
    const bool whole = typed.starts_with("nod_");
    return pages("list_depots", {{"limit", 1000}}, "depots", [&](const json::Object& depot) {
      const auto& root = depot.at("root");
      if (!root.is_string()) return true;
      const auto key = whole ? json::text(root) : bare(json::text(root));
      if (begins(key, typed)) add(key);
      return true;
    });
  }

  // The children of the directory typed so far whose name goes on as what was typed.
  Result<mcp::Completion> paths(std::string_view key, std::string_view typed) {
    const auto slash = typed.rfind('/');
    const auto directory = slash == std::string_view::npos ? "" : typed.substr(0, slash);
    const auto name = slash == std::string_view::npos ? typed : typed.substr(slash + 1);
    json::Object arguments{{"nodeKey", key}, {"path", directory}, {"limit", 1000}};
    if (!name.empty()) arguments["cursor"] = cursor_before(name);
    return pages("fs_ls", std::move(arguments), "children", [&](const json::Object& child) {
      const auto found = json::text(child.at("name"));
      if (!found.starts_with(name)) return false;
      std::string value(directory);
      if (!value.empty()) value += '/';
      value += found;
      if (json::text(child.at("type")) == "dir") value += '/';
      add(value);
      return true;
    });
  }

 private:
  // The cursor after every name that is smaller than those that begin with this.
  static std::string cursor_before(std::string_view name) {
    std::string last(name);
    last.back() = static_cast<char>(last.back() - 1);
    return render_cursor(last + "\xff\xff");
  }

  void add(std::string_view value) {
    total_ += 1;
    if (out_.values.size() < kMaxValues) out_.values.emplace_back(value);
  }

  // Shows every row of a paged tool to `visit`, until it says that there is nothing more.
  template <typename Visit>
  Result<mcp::Completion> pages(std::string_view tool, json::Object arguments,
                                std::string_view rows, Visit visit) {
    bool more = true;
    for (int i = 0; more && i < kMaxPages; ++i) {
      const auto reply = TRY(executor_.run(caller_, tool, arguments));
      const auto& answer = reply.value.get_object();
      for (const auto& row : answer.at(rows).get_array()) {
        more = more && visit(row.get_object());
      }
      const auto& next = answer.at("nextCursor");
      more = more && next.is_string();
      if (more) arguments["cursor"] = next;
    }
    if (!more) out_.total = total_;
    out_.has_more = more || total_ > static_cast<std::int64_t>(out_.values.size());
    return std::move(out_);
  }

  Executor& executor_;
  const Caller& caller_;
  mcp::Completion out_;
  std::int64_t total_ = 0;
};

std::string context_text(const json::Object& context, std::string_view name) {
  const auto* value = json::find(context, name);
  return value == nullptr ? "" : std::string(json::text(*value));
}

// The tree a path is typed in: what was given for the other argument.
std::optional<std::string> tree_of(const mcp::CompletionRequest& request) {
  const bool depot = request.of.starts_with("cas://depot:");
  const auto given = context_text(request.context, depot ? "depotId" : "nodeKey");
  if (given.empty()) return std::nullopt;
  const std::string_view prefix = depot ? "dpt_" : "nod_";
  return given.starts_with(prefix) ? given : std::string(prefix) + given;
}

bool has_argument(const mcp::CompletionRequest& request) {
  if (request.prompt) return prompt_takes(request.of, request.argument);
  return request.of.contains("{" + request.argument + "}") ||
         request.of.contains("{+" + request.argument + "}");
}

bool is_known(const mcp::CompletionRequest& request) {
  if (request.prompt) return find_prompt(request.of) != nullptr;
  return std::ranges::any_of(resource_templates(), [&](const json::Value& row) {
    return json::text(row.get_object().at("uriTemplate")) == request.of;
  });
}

Result<mcp::Completion> run(Completer completer, const mcp::CompletionRequest& request) {
  if (request.argument == "depotId") {
    return completer.depots(
        request.value, request.prompt ? Completer::Prefix::kWith : Completer::Prefix::kWithout);
  }
  if (request.argument == "nodeKey") return completer.roots(request.value);
  const auto tree = tree_of(request);
  if (!tree) return mcp::Completion();
  return completer.paths(*tree, request.value);
}

}  // namespace

mcp::Rpc<mcp::Completion> complete(Executor& executor, const Caller& caller,
                                   const mcp::CompletionRequest& request) {
  if (!is_known(request)) {
    return mcp::rpc_fail(
        mcp::rpc_code::kInvalidParams,
        fmt::format("there is no {} '{}'", request.prompt ? "prompt" : "resource template",
                    shown(request.of)));
  }
  if (!has_argument(request)) {
    return mcp::rpc_fail(
        mcp::rpc_code::kInvalidParams,
        fmt::format("'{}' has no argument '{}'", shown(request.of), shown(request.argument)));
  }
  auto done = run(Completer(executor, caller), request);
  if (done) return std::move(*done);
  auto error = rpc_error(done.error());
  if (error.code == mcp::rpc_code::kInternal) return std::unexpected(std::move(error));
  return mcp::Completion();  // what was typed names nothing
}

}  // namespace cairn::agent
