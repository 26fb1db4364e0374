#include "tools/admin/tools.h"
#include "tools/depots/depots.h"
#include "tools/executor/page.h"

namespace cairn {
namespace {

json::Object render(const AuditEntry& entry) {
  json::Object out;
  out["time"] = entry.time;
  out["delegate"] = entry.delegate.render();
  out["entrance"] = entry.entrance;
  out["tool"] = entry.tool;
  out["context"] = entry.context;
  out["outcome"] = entry.outcome;
  out["bytesIn"] = entry.bytes_in;
  out["bytesOut"] = entry.bytes_out;
  out["micros"] = entry.micros;
  if (entry.count > 1) out["count"] = entry.count;
  if (!entry.endpoint.empty()) out["endpoint"] = entry.endpoint;
  if (!entry.binding.empty()) out["binding"] = entry.binding;
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
  return list_page(call, arguments, "entries", [&](auto limit, auto cursor) -> Result<RowPage> {
    query.limit = limit;
    query.cursor = owned(cursor);
    return rendered(TRY(call.services().audit.query(call.session().realm, query)),
                    &AuditPage::entries, render);
  });
}

}  // namespace

Tool get_audit() {
  return {
      .name = "get_audit",
      .title = "The audit log",
      .description =
          "Who did what in the realm, through what, with which outcome; newest first. Never "
          "content. For the realm's owner.",
      .input = shape::object(
          {depots::limit("Entries per page (default 100)"),
           depots::cursor(),
           {"since", shape::integer("Milliseconds since 1970"), shape::kOptional},
           {"until", shape::integer("Milliseconds since 1970, not included"), shape::kOptional},
           {"delegateId", shape::text("Only of this delegate"), shape::kOptional},
           {"tool", shape::text("Only of this tool"), shape::kOptional},
           {"outcome", shape::text("ok, or a code: CONFLICT"), shape::kOptional},
           {"endpointId", shape::text("Only through this endpoint"), shape::kOptional}}),
      .output = shape::object(
          {{"entries",
            shape::list_of(shape::object(
                {{"time", shape::integer()},
                 {"delegate", shape::text()},
                 {"entrance", shape::text()},
                 {"tool", shape::text()},
                 {"context", shape::text()},
                 {"outcome", shape::text()},
                 {"bytesIn", shape::integer()},
                 {"bytesOut", shape::integer()},
                 {"micros", shape::integer()},
                 {"count", shape::integer("How many like it, itself included"), shape::kOptional},
                 {"endpoint", shape::text(), shape::kOptional},
                 {"binding", shape::text(), shape::kOptional}}))},
           {"nextCursor", shape::nullable(shape::text())}}),
      .annotations = {.read_only = true, .idempotent = true},
      .right = Right::kOwn,
      .audience = Audience::kPrograms,
      .audited = {"delegateId", "endpointId"},
      .run = run_get_audit,
  };
}

}  // namespace cairn
