// cairn log, undo.
#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <sys/ioctl.h>
#include <unistd.h>

#include "base/quote.h"
#include "base/utf8.h"
#include "exposure/cli/commands.h"
#include "exposure/cli/history.h"
#include "exposure/cli/kit.h"
#include "exposure/client/address.h"
#include "exposure/client/pages.h"
#include "tools/depots/changes.h"

namespace cairn::cli {
namespace {

// Who the authors are, as far as the caller may see them.
class Authors final {
 public:
  explicit Authors(client::Client& client) : client_(client) {}

  std::string name(std::string_view id) {
    if (id.empty()) return "-";
    auto found = names_.find(id);
    if (found == names_.end()) found = names_.emplace(id, asked(id)).first;
    return found->second;
  }

 private:
  std::string asked(std::string_view id) {
    constexpr std::size_t kShort = 12;
    const auto answer = client_.call("get_delegate", {{"delegateId", id}});
    if (answer && answer->is_object()) {
      if (const auto name = Arguments(answer->get_object()).text("name"); !name.empty()) {
        return std::string(name);
      }
    }
    return std::string(id.substr(0, kShort)) + "…";
  }

  client::Client& client_;
  std::map<std::string, std::string, std::less<>> names_;
};

std::size_t width_of(const Output& out) {
  winsize size{};
  const bool known = out.is_terminal() && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
  return known && size.ws_col > 0 ? size.ws_col : std::numeric_limits<std::size_t>::max();
}

// As many characters as there is room for.
std::string fitted(std::string_view text, std::size_t room) {
  std::size_t characters = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool begins = (static_cast<unsigned char>(text[at]) & 0xc0) != 0x80;
    if (begins && ++characters > room) return std::string(text.substr(0, at));
  }
  return std::string(text);
}

std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

// One line for each commit: its number, when, who, what.
void print_row(Output& out, Authors& authors, const Arguments& entry, std::size_t width) {
  const auto change = fmt::format("#{}", entry.number("change"));
  const auto time = human_time(entry.number("time"));
  const auto author = out.safe(authors.name(entry.maybe_text("author").value_or("")));
  std::string what;
  for (const auto& tag : entry.texts("tags").value_or(std::vector<std::string>())) {
    what += "[" + tag + "] ";
  }
  what += first_line(out.safe(entry.text("message")));
  if (entry.flag("merged")) what += " (merged)";
  if (entry.flag("removed")) what += " (removed)";
  if (entry.flag("purged")) what += " (purged)";
  const auto head = fmt::format("{:<5}  {}  {:<12}  ", change, time, author);
  const auto taken = fitted(head, width).size() < head.size() ? width : head.size();
  out.print("{}  {}  {:<12}  {}\n", out.paint(Style::kYellow, fmt::format("{:<5}", change)),
            out.paint(Style::kDim, time), author,
            width == std::numeric_limits<std::size_t>::max() ? what : fitted(what, width - taken));
}

}  // namespace

Result<int> print_history(Kit& kit, const std::string& where, std::size_t limit) {
  auto& client = *TRY(kit.client());
  const auto place = TRY(client::resolve_address(client, where));
  if (place.tree.kind != client::TreeKind::kDepot) {
    return fail(Code::kInvalidArgument, "{} is a node, which has no history; name a depot",
                shown(where));
  }
  const auto most = limit == 0 ? std::numeric_limits<std::size_t>::max() : limit;
  json::Object arguments{{"depotId", place.tree.key}, {"limit", std::min<std::size_t>(most, 1000)}};
  if (!place.path.empty()) arguments["path"] = place.path;
  if (kit.options.json) {
    auto all = TRY(collect(client, "depot_history", std::move(arguments), "entries", most));
    auto& entries = all.as_object()["entries"].as_array();
    if (entries.size() > most) entries.resize(most);
    kit.out.print_json(all);
    return 0;
  }
  Authors authors(client);
  const auto width = width_of(kit.out);
  std::size_t printed = 0;
  TRY(for_each(client, "depot_history", std::move(arguments), "entries",
               [&](const json::Object& entry) -> Result<client::More> {
                 print_row(kit.out, authors, Arguments(entry), width);
                 return ++printed < most ? client::More::kYes : client::More::kNo;
               }));
  if (printed == 0 && !place.path.empty()) {
    return fail(Code::kPathNotFound, "no commit of the depot has a '{}'", shown(place.path));
  }
  return 0;
}

namespace {

struct UndoArguments {
  std::string depot;
  std::string changes;
  std::string message;
  bool dry_run = false;
};

// `14`, `#14`, `#14..#16`
Result<void> add_changes(json::Object& out, std::string_view text) {
  if (text.empty()) return {};
  const auto dots = text.find("..");
  if (dots == std::string_view::npos) {
    out["change"] = TRY(depots::change_number(text));
    return {};
  }
  out["from"] = TRY(depots::change_number(text.substr(0, dots)));
  out["to"] = TRY(depots::change_number(text.substr(dots + 2)));
  return {};
}

Result<int> run_undo(Kit& kit, const UndoArguments& given) {
  auto& client = *TRY(kit.client());
  json::Object arguments{{"depotId", TRY(resolve_depot(client, given.depot))}};
  TRY(add_changes(arguments, given.changes));
  if (!given.message.empty()) arguments["message"] = given.message;
  if (given.dry_run) arguments["dryRun"] = true;
  const auto answer = TRY(client.call("depot_undo", arguments));
  if (kit.options.json) {
    kit.out.print_json(answer);
    return 0;
  }
  const Arguments done(answer.as_object());
  const Arguments undid(client::object_of(answer.as_object(), "undid"));
  const ChangeRange range{static_cast<std::uint64_t>(undid.number("from")),
                          static_cast<std::uint64_t>(undid.number("to"))};
  kit.out.print("{} {}\n", given.dry_run ? "would take back" : "took back", range.render());
  for (const auto& path : done.texts("paths").value_or(std::vector<std::string>())) {
    kit.out.print("  {}\n", kit.out.safe(path));
  }
  if (done.flag("merged") && !given.dry_run) note("what was committed since stays");
  return 0;
}

}  // namespace

void add_history_commands(Commands& commands) {
  {
    struct Given {
      std::string where;
      std::size_t limit = 0;
    };
    auto given = std::make_shared<Given>();
    auto command = commands.add(
        {.name = "log",
         .description = "The commits of a depot, or of a path in it, newest first",
         .example = "cairn log my-project:src -n 5",
         .more = "The number of a commit names its version: my-project@#14. 'cairn undo' takes one "
                 "back.\nOf a version, the commits up to it.",
         .group = "Depots"},
        [given](Kit& kit) { return print_history(kit, given->where, given->limit); });
    command.add_argument("DEPOT[:PATH]", given->where, "A depot by title or id, and a path");
    command.add_value("-n,--limit", given->limit, "N", "At most so many [all]");
  }
  {
    auto given = std::make_shared<UndoArguments>();
    auto command = commands.add(
        {.name = "undo",
         .description = "Take a commit back, or a run of them; what came later stays",
         .example = "cairn undo my-project '#14..#16'",
         .more =
             "Without a number your own latest commit. Where later commits build on it nothing\n"
             "is changed, and the paths are named. An undo can be undone.",
         .group = "Depots"},
        [given](Kit& kit) { return run_undo(kit, *given); });
    command.add_argument("DEPOT", given->depot, "Its title or id");
    command.add_argument("CHANGES", given->changes, "#14, or #14..#16 [your latest]")
        .required(false);
    command.add_value("-m,--message", given->message, "TEXT", "Why");
    command.add_flag("--dry-run", given->dry_run, "Only say what would be taken back");
  }
}

}  // namespace cairn::cli
