#include <algorithm>
#include <map>
#include <set>

#include "base/quote.h"
#include "tools/admin/tools.h"
#include "tools/depots/depots.h"
#include "tools/executor/page.h"
#include "tools/executor/table.h"

namespace cairn {
namespace {

// Delegates, endpoints and depots by the names that people gave them, each looked up once.
class Names final {
 public:
  explicit Names(Call& call) : call_(call) {}

  // Empty: it has none.
  const std::string& of(const DelegateId& id) {
    const auto [found, is_new] = delegates_.try_emplace(id);
    if (is_new) {
      const auto known = call_.services().delegates.get(call_.session(), id);
      if (known) found->second = known->name.empty() && !known->parent ? "owner" : known->name;
    }
    return found->second;
  }
  const std::string& of_endpoint(const std::string& id) {
    const auto [found, is_new] = endpoints_.try_emplace(id);
    if (is_new) {
      if (const auto parsed = EndpointId::parse(id)) {
        const auto& endpoints = call_.services().endpoints;
        const auto known = endpoints.endpoint(call_.session().realm, *parsed);
        if (known) found->second = known->name;
      }
    }
    return found->second;
  }
  // The context with the titles of its depots.
  std::string about(const std::string& context) {
    std::string out;
    std::size_t at = 0;
    while (at < context.size()) {
      const auto end = std::min(context.find_first_of(" /@", at), context.size());
      const auto word = context.substr(at, end - at);
      out += word.starts_with(DepotTag::kPrefix) ? title(word) : word;
      if (end < context.size()) out += context[end];
      at = end + 1;
    }
    return out;
  }

 private:
  const std::string& title(const std::string& id) {
    const auto [found, is_new] = titles_.try_emplace(id, id);
    if (is_new) {
      if (const auto parsed = DepotId::parse(id)) {
        if (const auto known = call_.realm().get_depot(*parsed)) found->second = known->title;
      }
    }
    return found->second;
  }

  Call& call_;
  std::map<DelegateId, std::string> delegates_;
  std::map<std::string, std::string> endpoints_;
  std::map<std::string, std::string> titles_;
};

// The delegates with this name, or this id. NOT_FOUND, so that a wrong name is not taken for
// somebody who did nothing.
Result<std::set<DelegateId>> called(Call& call, Names& names, std::string_view who) {
  std::set<DelegateId> out;
  if (auto id = DelegateId::parse(who)) return std::set{*id};
  std::vector<DelegateId> open{call.session().who().id};
  while (!open.empty()) {
    const auto parent = open.back();
    open.pop_back();
    if (names.of(parent) == who) out.insert(parent);
    std::optional<std::string> cursor;
    do {
      auto page = TRY(call.services().delegates.list(call.session(), parent, 1000, cursor));
      for (const auto& child : page.delegates) open.push_back(child.id);
      cursor = std::move(page.next_cursor);
    } while (cursor);
  }
  if (!out.empty()) return out;
  return fail(Code::kNotFound, "there is no delegate '{}'; list_delegates has their names",
              shown(who));
}

// What is asked for beyond what the log itself looks for.
struct Wanted {
  std::optional<std::set<DelegateId>> who;
  std::string path;
  std::string request;
  bool failed = false;
  bool writes = false;
};

// Whether a path, or something below it, is what the call was about.
bool names_path(std::string_view context, std::string_view path) {
  for (auto at = context.find(path); at != std::string_view::npos;
       at = context.find(path, at + 1)) {
    const auto end = at + path.size();
    const bool begins = at == 0 || context[at - 1] == ' ' || context[at - 1] == '/';
    const bool ends = end == context.size() || context[end] == ' ' || context[end] == '/';
    if (begins && ends) return true;
  }
  return false;
}

// What is in no table was made for a workspace, or a way to sign in; of those, what does not say
// that it reads.
bool writes(const ToolTable& table, const std::string& name) {
  if (const auto tool = table.find(name)) return (*tool)->changes();
  constexpr std::string_view kReads[] = {"read",      "list",    "get",     "search",
                                         "directory", "history", "sign_in", "refresh"};
  return std::ranges::none_of(kReads, [&](auto word) { return name.starts_with(word); });
}

bool fits(const Call& call, const AuditEntry& entry, const Wanted& wanted) {
  return (!wanted.who || wanted.who->contains(entry.delegate)) &&
         (wanted.path.empty() || names_path(entry.context, wanted.path)) &&
         (wanted.request.empty() || entry.request == wanted.request) &&
         (!wanted.failed || entry.outcome != "ok") &&
         (!wanted.writes || writes(call.table(), entry.tool));
}

// A page of what fits, from as many of the log's own pages as it takes: its cursor is theirs.
Result<AuditPage> look(Call& call, AuditQuery query, const Wanted& wanted) {
  constexpr std::size_t kMostPages = 200;
  AuditPage out;
  const auto limit = query.limit;
  for (std::size_t i = 0; i < kMostPages && out.entries.size() < limit; ++i) {
    query.limit = limit - out.entries.size();
    auto page = TRY(call.services().audit.query(call.session().realm, query));
    for (auto& entry : page.entries) {
      if (fits(call, entry, wanted)) out.entries.push_back(std::move(entry));
    }
    out.next_cursor = query.cursor = std::move(page.next_cursor);
    if (!query.cursor) break;
  }
  return out;
}

json::Object render(const AuditEntry& entry, Names& names) {
  json::Object out;
  out["time"] = entry.time;
  out["delegate"] = entry.delegate.render();
  if (const auto& who = names.of(entry.delegate); !who.empty()) out["who"] = who;
  out["entrance"] = entry.entrance;
  out["tool"] = entry.tool;
  out["context"] = entry.context;
  if (auto about = names.about(entry.context); about != entry.context) {
    out["about"] = std::move(about);
  }
  out["outcome"] = entry.outcome;
  out["bytesIn"] = entry.bytes_in;
  out["bytesOut"] = entry.bytes_out;
  out["micros"] = entry.micros;
  if (entry.count > 1) out["count"] = entry.count;
  if (!entry.endpoint.empty()) {
    out["endpoint"] = entry.endpoint;
    if (const auto& name = names.of_endpoint(entry.endpoint); !name.empty()) {
      out["endpointName"] = name;
    }
  }
  if (!entry.binding.empty()) out["binding"] = entry.binding;
  if (!entry.message.empty()) out["message"] = entry.message;
  if (!entry.request.empty()) out["request"] = entry.request;
  return out;
}

std::optional<std::string> owned(std::optional<std::string_view> text) {
  if (!text) return std::nullopt;
  return std::string(*text);
}

Result<Reply> run_get_audit(Call& call, const Arguments& arguments) {
  AuditQuery query;
  query.since = arguments.maybe_number("since");
  query.until = arguments.maybe_number("until");
  query.tool = owned(arguments.maybe_text("tool"));
  query.outcome = owned(arguments.maybe_text("outcome"));
  query.endpoint = owned(arguments.maybe_text("endpointId"));
  if (auto id = arguments.maybe_text("delegateId")) query.delegate = TRY(DelegateId::parse(*id));
  Names names(call);
  Wanted wanted;
  if (auto who = arguments.maybe_text("who")) wanted.who = TRY(called(call, names, *who));
  wanted.path = arguments.text("path");
  wanted.request = arguments.text("request");
  wanted.failed = arguments.flag("failed");
  wanted.writes = arguments.flag("writes");
  return list_page(call, arguments, "entries", [&](auto limit, auto cursor) -> Result<RowPage> {
    query.limit = limit;
    query.cursor = owned(cursor);
    return rendered(TRY(look(call, query, wanted)), &AuditPage::entries,
                    [&](const AuditEntry& entry) { return render(entry, names); });
  });
}

}  // namespace

Tool get_audit() {
  return {
      .name = "get_audit",
      .title = "The audit log",
      .description =
          "Who did what in the realm, through what, with which outcome; newest first. Never "
          "content, but for what an error's message quotes. For the realm's owner.",
      .input = shape::object(
          {depots::limit("Entries per page (default 100)"),
           depots::cursor(),
           {"since", shape::integer("Milliseconds since 1970"), shape::kOptional},
           {"until", shape::integer("Milliseconds since 1970, not included"), shape::kOptional},
           {"delegateId", shape::text("Only of this delegate"), shape::kOptional},
           {"who", shape::text("Only of delegates with this name, or id"), shape::kOptional},
           {"path", shape::text("Only about this path, or below it", 5000), shape::kOptional},
           {"request", shape::text("Only of this request: an answer's X-Request-Id"),
            shape::kOptional},
           {"failed", shape::flag("Only what was refused or failed"), shape::kOptional},
           {"writes", shape::flag("Only tools that change something"), shape::kOptional},
           {"tool", shape::text("Only of this tool"), shape::kOptional},
           {"outcome", shape::text("ok, or a code: CONFLICT"), shape::kOptional},
           {"endpointId", shape::text("Only through this endpoint"), shape::kOptional}}),
      .output = shape::object(
          {{"entries",
            shape::list_of(shape::object(
                {{"time", shape::integer()},
                 {"delegate", shape::text()},
                 {"who", shape::text("Its name"), shape::kOptional},
                 {"entrance", shape::text()},
                 {"tool", shape::text()},
                 {"context", shape::text()},
                 {"about", shape::text("The context with titles of depots"), shape::kOptional},
                 {"outcome", shape::text()},
                 {"bytesIn", shape::integer()},
                 {"bytesOut", shape::integer()},
                 {"micros", shape::integer()},
                 {"count", shape::integer("How many like it, itself included"), shape::kOptional},
                 {"endpoint", shape::text(), shape::kOptional},
                 {"endpointName", shape::text(), shape::kOptional},
                 {"binding", shape::text(), shape::kOptional},
                 {"message", shape::text("Of the error"), shape::kOptional},
                 {"request", shape::text("Its X-Request-Id"), shape::kOptional}}))},
           {"nextCursor", shape::nullable(shape::text())}}),
      .annotations = {.read_only = true, .idempotent = true},
      .right = Right::kOwn,
      .audience = Audience::kPrograms,
      .audited = {"delegateId", "who", "path", "endpointId"},
      .run = run_get_audit,
  };
}

}  // namespace cairn
