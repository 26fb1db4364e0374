#include "exposure/pages/consent_page.h"

#include <algorithm>
#include <array>

#include "data/realm/place.h"
#include "data/tree/path.h"
#include "exposure/http/uri.h"

namespace cairn::pages {
namespace {

constexpr std::int64_t kMostDepots = 200;

struct Span {
  std::string_view value;
  Word word;
  std::optional<std::chrono::seconds> lasts;
};
constexpr std::chrono::hours kDayHours{24};
constexpr std::array<Span, 5> kSpans = {{
    {"hour", Word::kHour, std::chrono::hours(1)},
    {"day", Word::kDay, kDayHours},
    {"month", Word::kMonth, kDayHours * 30},
    {"year", Word::kYear, kDayHours * 365},
    {"ever", Word::kRevoked, std::nullopt},
}};
constexpr std::string_view kUsualSpan = "month";

// What the form was when it was sent, or is when it is shown first.
class Before {
 public:
  Before(const Fields* sent, const oauth::Scopes& asked) : sent_(sent), asked_(asked) {}

  bool write() const { return sent_ == nullptr ? asked_.write : sent_->has("write"); }
  bool manage() const { return sent_ == nullptr ? asked_.manage : sent_->has("manage"); }
  std::string_view see() const { return text("see", "all"); }
  std::string_view lasts() const { return text("lasts", kUsualSpan); }
  std::string_view folder_depot() const { return text("folder_depot", ""); }
  std::string_view folder() const { return text("folder", ""); }
  bool depot(std::string_view id) const {
    if (sent_ == nullptr) return false;
    const auto chosen = sent_->all("depot");
    return std::ranges::find(chosen, id) != chosen.end();
  }

 private:
  std::string_view text(std::string_view name, std::string_view usual) const {
    return sent_ == nullptr || !sent_->has(name) ? usual : sent_->get(name);
  }

  const Fields* sent_;
  const oauth::Scopes asked_;
};

Html input(std::initializer_list<Attribute> attributes, bool checked) {
  std::vector<Attribute> all(attributes);
  if (checked) all.emplace_back("checked", "");
  return element("input", std::span<const Attribute>(all), {});
}

Html choice(const Html& control, const Html& what, const Html& hint = {}) {
  return element("label", {{"class", "choice"}},
                 {control, element("span", {}, {element("b", {}, {what}), hint})});
}

Html hint(const Visit& visit, Word word) {
  return element("span", {{"class", "soft small"}}, {" · ", visit.say(word)});
}

Html fieldset(const Html& legend, std::initializer_list<Html> inner) {
  std::vector<Html> all = {element("legend", {}, {legend})};
  all.insert(all.end(), inner.begin(), inner.end());
  return element("fieldset", {}, all);
}

Html who_asks(const Visit& visit, const oauth::Asked& asked) {
  switch (asked.kind) {
    case oauth::ClientKind::kAdded:
      return element("span", {{"class", "chip good"}}, {visit.say(Word::kAddedByAdmin)});
    case oauth::ClientKind::kDocument:
      return element("span", {{"class", "chip good"}},
                     {visit.say(Word::kVerifiedHost, {foreign(asked.client_host)})});
    case oauth::ClientKind::kRegistered:
      break;
  }
  auto out = element("span", {{"class", "chip warn"}}, {visit.say(Word::kUnverified)});
  out += " ";
  out += element("span", {{"class", "soft small"}},
                 {visit.say(Word::kCallsItself, {client_name(asked)})});
  return out;
}

Html row(const Html& what, const Html& value) {
  return element("div", {}, {element("dt", {}, {what}), element("dd", {}, {value})});
}

Html facts(const Visit& visit, const ConsentPage& page, Millis now) {
  const auto& asked = page.asked;
  auto person = element("b", {}, {foreign(visit.user)});
  person += " ";
  person += element(
      "a", {{"class", "small"}, {"href", "/sign-in?request=" + http::percent_encode(page.request)}},
      {visit.say(Word::kNotYou)});
  person += element("div", {{"class", "soft small"}},
                    {element("code", {}, {visit.person->session().realm.render()})});
  std::vector<Html> rows = {row(visit.say(Word::kYouAre), person)};
  if (asked.device) {
    rows.push_back(
        row(visit.say(Word::kCode),
            visit.say(Word::kDeviceFrom, {element("b", {}, {foreign(asked.device->address)}),
                                          ago(visit, asked.device->at, now),
                                          element("code", {}, {asked.device->user_code})})));
  } else {
    const auto host = element("b", {}, {foreign(asked.redirect_host, 253)});
    rows.push_back(row(visit.say(Word::kAnswerGoes),
                       asked.loopback_only ? visit.say(Word::kThisComputer, {host}) : host));
  }
  Html out = element("dl", {}, rows);
  if (asked.device) {
    out += element("p", {{"class", "alert warn"}}, {visit.say(Word::kDeviceWarning)});
  } else if (asked.loopback_only) {
    out += element("p", {{"class", "alert warn"}},
                   {visit.say(Word::kLoopbackWarning, {client_name(asked)})});
  }
  return element("section", {{"class", "card"}}, {out});
}

Html rights(const Visit& visit, const Before& before) {
  return fieldset(
      visit.say(Word::kMay),
      {choice(element("input", {{"type", "checkbox"}, {"checked", ""}, {"disabled", ""}}),
              visit.say(Word::kRead), hint(visit, Word::kReadHint)),
       choice(input({{"type", "checkbox"}, {"name", "write"}, {"value", "yes"}}, before.write()),
              visit.say(Word::kWrite), hint(visit, Word::kWriteHint)),
       choice(input({{"type", "checkbox"}, {"name", "manage"}, {"value", "yes"}}, before.manage()),
              visit.say(Word::kManage), hint(visit, Word::kManageHint))});
}

struct Listed {
  std::string id;
  std::string title;
};

std::vector<Listed> depots_of(const Visit& visit, Executor& executor, bool& more) {
  const auto reply =
      executor.run(*visit.person, "list_depots", json::Object{{"limit", kMostDepots}});
  std::vector<Listed> out;
  if (!reply) return out;
  const auto& answer = reply->value.as_object();
  for (const auto& item : answer.at("depots").as_array()) {
    const auto& depot = item.as_object();
    const auto* title = json::find(depot, "title");
    const auto id = std::string(json::text(depot.at("depotId")));
    out.push_back(
        {id, title == nullptr || !title->is_string() ? id : std::string(json::text(*title))});
  }
  const auto* next = json::find(answer, "nextCursor");
  more = next != nullptr && next->is_string();
  return out;
}

Html depot_list(const Visit& visit, const Before& before, const std::vector<Listed>& depots,
                bool more) {
  std::vector<Html> lines;
  for (const auto& depot : depots) {
    lines.push_back(choice(input({{"type", "checkbox"}, {"name", "depot"}, {"value", depot.id}},
                                 before.depot(depot.id)),
                           foreign(depot.title)));
  }
  if (depots.empty()) lines.push_back(element("p", {}, {visit.say(Word::kNoDepots)}));
  auto list = element("div", {{"class", "list"}}, lines);
  if (more) {
    list += element("p", {{"class", "hint soft small"}},
                    {visit.say(Word::kMoreDepots, {std::to_string(depots.size())})});
  }
  return element("div", {{"class", "part depots"}}, {list});
}

Html option(std::string_view value, bool selected, const Html& text) {
  if (selected) return element("option", {{"value", value}, {"selected", ""}}, {text});
  return element("option", {{"value", value}}, {text});
}

Html folder_part(const Visit& visit, const Before& before, const std::vector<Listed>& depots) {
  std::vector<Html> options;
  for (const auto& depot : depots) {
    options.push_back(option(depot.id, depot.id == before.folder_depot(), Html(depot.title)));
  }
  return element(
      "div", {{"class", "part folder"}},
      {element("div", {{"class", "field"}},
               {element("label", {{"for", "folder_depot"}}, {visit.say(Word::kDepot)}),
                element("select", {{"id", "folder_depot"}, {"name", "folder_depot"}}, options)}),
       element("div", {{"class", "field"}},
               {element("label", {{"for", "folder"}}, {visit.say(Word::kFolder)}),
                element("input", {{"type", "text"},
                                  {"id", "folder"},
                                  {"name", "folder"},
                                  {"autocomplete", "off"},
                                  {"autocapitalize", "none"},
                                  {"spellcheck", "false"},
                                  {"maxlength", "4096"},
                                  {"value", before.folder()}}),
                element("p", {{"class", "hint soft small"}}, {visit.say(Word::kFolderHint)})})});
}

Html places(const Visit& visit, Executor& executor, const ConsentPage& page, const Before& before) {
  if (page.asked.workspace) {
    return fieldset(visit.say(Word::kSees),
                    {element("p", {},
                             {visit.say(Word::kSeesOnly,
                                        {element("b", {}, {foreign(*page.asked.workspace)})})})});
  }
  bool more = false;
  const auto depots = depots_of(visit, executor, more);
  const auto see = [&](std::string_view value, std::string_view id, Word word) {
    return choice(input({{"type", "radio"}, {"name", "see"}, {"value", value}, {"id", id}},
                        before.see() == value),
                  visit.say(word));
  };
  auto all = see("all", "see-all", Word::kSeesAll);
  // Who has no depot yet has nothing to choose from.
  if (depots.empty()) return fieldset(visit.say(Word::kSees), {all});
  return fieldset(
      visit.say(Word::kSees),
      {all, see("depots", "see-depots", Word::kSeesDepots), depot_list(visit, before, depots, more),
       see("folder", "see-folder", Word::kSeesFolder), folder_part(visit, before, depots)});
}

Html until(const Visit& visit, const Before& before) {
  std::vector<Html> options;
  for (const auto& span : kSpans) {
    options.push_back(option(span.value, span.value == before.lasts(), visit.say(span.word)));
  }
  return fieldset(element("label", {{"for", "lasts"}}, {visit.say(Word::kUntil)}),
                  {element("select", {{"id", "lasts"}, {"name", "lasts"}}, options)});
}

Html button(std::string_view value, std::string_view kind, const Html& text) {
  return element("button", {{"class", kind}, {"name", "decision"}, {"value", value}}, {text});
}

Result<Place> place_of(std::string_view depot, std::string_view folder) {
  // As people type it.
  while (folder.starts_with('/')) folder.remove_prefix(1);
  while (folder.ends_with('/')) folder.remove_suffix(1);
  Place place(TRY(DepotId::parse(depot)));
  if (!folder.empty()) place.path = TRY(Path::parse(folder));
  return place;
}

}  // namespace

Html client_name(const oauth::Asked& asked) {
  constexpr std::size_t kMost = 60;
  for (const auto* name : {&asked.client_name, &asked.client_host, &asked.client_id}) {
    if (!name->empty()) return foreign(*name, kMost);
  }
  return {};
}

http::Response consent_page(const Visit& visit, Executor& executor, Millis now,
                            const ConsentPage& page) {
  const Before before(page.sent, page.asked.scopes);
  const auto name = client_name(page.asked);
  Html content = element("h1", {}, {visit.say(Word::kConsentTitle, {name})});
  content += element("p", {{"class", "soft"}}, {visit.say(Word::kAsksFor)});
  content += element("p", {}, {who_asks(visit, page.asked)});
  if (page.error) content += alert(*page.error);
  content += facts(visit, page, now);
  content += form(
      visit, "/oauth/consent", {{"class", "card"}},
      {hidden("id", page.request), rights(visit, before), places(visit, executor, page, before),
       until(visit, before), element("p", {{"class", "soft small"}}, {visit.say(Word::kChildren)}),
       element("div", {{"class", "actions"}},
               {button("allow", "main", visit.say(Word::kAllow)),
                button("deny", "second", visit.say(Word::kDeny))})});
  return show(visit, {.title = visit.say(Word::kConsentTitle, {name}),
                      .content = content,
                      .status = page.error ? 400 : 200,
                      .wide = true});
}

Result<oauth::Choice> choice_of(const Fields& fields, const oauth::Asked& asked) {
  oauth::Choice out{.write = fields.has("write"), .manage = fields.has("manage")};
  const auto span = std::ranges::find(kSpans, fields.get("lasts"), &Span::value);
  if (span == kSpans.end()) return fail(Code::kInvalidArgument, "there is no such time span");
  out.lasts = span->lasts;
  const auto see = fields.get("see");
  if (asked.workspace || see == "all") return out;
  if (see == "depots") {
    out.depots.emplace();
    for (const auto& id : fields.all("depot")) out.depots->push_back(TRY(DepotId::parse(id)));
    if (!out.depots->empty()) return out;
    return fail(Code::kInvalidArgument, "no depot was chosen");
  }
  if (see == "folder") {
    out.scope = {TRY(place_of(fields.get("folder_depot"), fields.get("folder")))};
    return out;
  }
  // Whoever leaves it out has not said that all may be seen.
  return fail(Code::kInvalidArgument, "nothing was chosen that it may see");
}

}  // namespace cairn::pages
