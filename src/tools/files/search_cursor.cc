#include "tools/files/search_cursor.h"

#include <map>

#include "base/base32.h"
#include "base/quote.h"
#include "base/sha256.h"

namespace cairn::fs {
namespace {

constexpr std::size_t kCheckBytes = 8;
constexpr std::size_t kLineBytes = 8;

// What tells one search from another, in an order of its own.
std::string search_of(const Arguments& arguments) {
  std::map<std::string_view, const json::Value*> sorted;
  for (const auto& member : arguments.object()) {
    if (member.key() == "cursor" || member.key() == "maxResults") continue;
    sorted.emplace(member.key(), &member.value());
  }
  std::string out;
  for (const auto& [name, value] : sorted) {
    out += json::write(json::Value(name)) + ":" + json::write(*value) + "\n";
  }
  return out;
}

std::string check_of(std::string_view payload, const Arguments& arguments) {
  const auto digest =
      sha256(fmt::format("{}\n{}{}", payload.size(), payload, search_of(arguments)));
  return {reinterpret_cast<const char*>(digest.data()), kCheckBytes};
}

Failure refused(std::string_view why) {
  return fail(Code::kInvalidCursor,
              "this cursor {}; pass nextCursor as it came with the same arguments, or leave it out "
              "to begin again",
              why);
}

}  // namespace

std::optional<std::string> SearchCursor::render(const Arguments& arguments) const {
  if (path.size() > Path::kMaxBytes) return std::nullopt;
  std::string payload(root.bytes());
  for (std::size_t i = kLineBytes; i-- > 0;) {
    payload += static_cast<char>(line >> (8 * i) & 0xFF);
  }
  payload += left_out ? '\1' : '\0';
  payload += path;
  return "s" + base32_encode(check_of(payload, arguments) + payload);
}

Result<SearchCursor> SearchCursor::parse(std::string_view text, const Arguments& arguments) {
  constexpr auto kHead = NodeKey::kSize + kLineBytes + 1;
  constexpr auto kLeast = kCheckBytes + kHead;
  if (!text.starts_with('s') || text.size() > kMaxBytes) return refused("is not one of a search");
  const auto coded = text.substr(1);
  const auto bytes = base32_decode(coded, coded.size() * 5 / 8);
  if (!bytes || bytes->size() < kLeast) return refused("is not one of a search");
  const auto payload = std::string_view(*bytes).substr(kCheckBytes);
  if (check_of(payload, arguments) != std::string_view(*bytes).substr(0, kCheckBytes)) {
    return refused("was changed, or belongs to another search");
  }
  SearchCursor out;
  out.root = NodeKey::from_bytes(payload.substr(0, NodeKey::kSize));
  for (const auto c : payload.substr(NodeKey::kSize, kLineBytes)) {
    out.line = out.line << 8 | static_cast<unsigned char>(c);
  }
  out.left_out = payload[kHead - 1] != '\0';
  out.path = payload.substr(kHead);
  return out;
}

shape::Field cursor() {
  return {"cursor", shape::text("From nextCursor", SearchCursor::kMaxBytes), shape::kOptional};
}

shape::Field next_cursor() {
  return {"nextCursor", shape::text("There is more: call again with it as cursor"),
          shape::kOptional};
}

Result<Searched> open_search(Call& call, const Arguments& arguments) {
  auto text = arguments.maybe_text("cursor");
  if (!text) return Searched{TRY(open(call, arguments)), std::nullopt};
  auto cursor = TRY(SearchCursor::parse(*text, arguments));
  auto target = TRY(call.sight().target(arguments.text("nodeKey")));
  if (target.root != cursor.root) {
    // The depot has moved on. What the caller may see is decided as for every key it names.
    auto before = call.sight().node(cursor.root.render());
    if (!before) return refused("is of a tree that is not there any more");
    target.root = *before;
  }
  auto tree = TRY(view_tree(call.realm().nodes(), target.root));
  return Searched{Opened{std::move(target), std::move(tree), false}, std::move(cursor)};
}

void add_rest(json::Object& out, Call& call, const Arguments& arguments,
              const std::string& stopped_by, const SearchCursor& reached,
              std::string_view narrower) {
  out["stoppedBy"] = stopped_by;
  const auto limits = call.limits();
  std::string why;
  if (stopped_by == "bytes") {
    why = fmt::format("the answer is full ({} KB)", limits.bytes / 1000);
  } else if (stopped_by == "time") {
    why = fmt::format("{} seconds were not enough",
                      std::chrono::duration_cast<std::chrono::seconds>(limits.time).count());
  } else if (stopped_by == "entries") {
    why = fmt::format("{} entries were looked at", limits.entries);
  } else if (stopped_by == "cancelled") {
    why = "the call was cancelled";
  } else {
    why = "maxResults was reached: give more";
  }
  const auto cursor = reached.render(arguments);
  if (cursor) out["nextCursor"] = *cursor;
  out["hint"] =
      fmt::format("{}; {}{}", why, cursor ? "go on with nextCursor as cursor, or " : "", narrower);
}

}  // namespace cairn::fs
