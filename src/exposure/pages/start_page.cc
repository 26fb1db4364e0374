#include "exposure/pages/start_page.h"

#include <algorithm>
#include <array>
#include <utility>

#include "tools/executor/executor.h"

namespace cairn::pages {
namespace {

Html connect_card(const Visit& visit) {
  const auto address = rest::origin_of(visit.site, visit.request) + "/mcp";
  return element(
      "section", {{"class", "card"}},
      {element("h2", {}, {visit.say(Word::kConnectTitle)}),
       element("p", {}, {visit.say(Word::kConnectExplained)}),
       element("p", {}, {element("code", {{"class", "sunk"}}, {address})}),
       element("p", {},
               {element("code", {{"class", "sunk"}},
                        {fmt::format("claude mcp add --transport http cairn {}", address)})})});
}

// `Firefox, Linux` of all that a browser says of itself; as it is, if that tells nothing.
std::string browser_name(std::string_view agent) {
  using Known = std::pair<std::string_view, std::string_view>;
  // Most say that they are several; the rarer come first.
  constexpr std::array<Known, 7> kBrowsers = {{{"Edg/", "Edge"},
                                               {"OPR/", "Opera"},
                                               {"Firefox/", "Firefox"},
                                               {"CriOS/", "Chrome"},
                                               {"Chrome/", "Chrome"},
                                               {"Version/", "Safari"},
                                               {"curl/", "curl"}}};
  constexpr std::array<Known, 6> kSystems = {{{"Windows", "Windows"},
                                              {"iPhone", "iPhone"},
                                              {"iPad", "iPad"},
                                              {"Mac OS X", "macOS"},
                                              {"Android", "Android"},
                                              {"Linux", "Linux"}}};
  const auto find = [&](const auto& all) {
    const auto found =
        std::ranges::find_if(all, [&](const Known& known) { return agent.contains(known.first); });
    return found == all.end() ? std::string_view() : found->second;
  };
  const auto browser = find(kBrowsers);
  if (browser.empty()) return std::string(agent);
  const auto system = find(kSystems);
  return system.empty() ? std::string(browser) : fmt::format("{}, {}", browser, system);
}

Html sign_in_row(const Visit& visit, const json::Object& row, Millis now) {
  const auto browser = json::text(row.at("browser"));
  const auto address = json::text(row.at("address"));
  std::vector<Html> about = {element(
      "div", {{"title", browser}}, {browser.empty() ? Html("-") : foreign(browser_name(browser))})};
  if (row.at("current").get_bool()) {
    about.push_back(element("span", {{"class", "chip good"}}, {visit.say(Word::kThisBrowser)}));
  } else {
    about.push_back(element(
        "span", {{"class", "soft small"}},
        {foreign(address), ", ",
         visit.say(Word::kLastUsed, {ago(visit, row.at("usedAt").to_number<Millis>(), now)})}));
  }
  Html end;
  if (!row.at("current").get_bool()) {
    end = form(visit, "/account/end", {},
               {hidden("signInId", json::text(row.at("signInId"))),
                element("button", {{"class", "plain"}}, {visit.say(Word::kEnd)})});
  }
  return element("tr", {}, {element("td", {}, about), element("td", {{"class", "end"}}, {end})});
}

Html sign_ins_card(const Visit& visit, const json::Array& rows, Millis now) {
  std::vector<Html> lines;
  for (const auto& row : rows) lines.push_back(sign_in_row(visit, row.as_object(), now));
  Html others;
  if (rows.size() > 1) {
    others =
        form(visit, "/account/end", {}, {element("button", {}, {visit.say(Word::kEndOthers)})});
  }
  return element("section", {{"class", "card"}},
                 {element("h2", {}, {visit.say(Word::kSignInsTitle)}),
                  element("table", {}, {element("tbody", {}, lines)}), others});
}

Html password_field(const Html& label, std::string_view name, std::string_view kind,
                    const Html& hint) {
  return element("div", {{"class", "field"}},
                 {element("label", {{"for", name}}, {label}),
                  element("input", {{"id", name},
                                    {"name", name},
                                    {"type", "password"},
                                    {"autocomplete", kind},
                                    {"maxlength", "1000"},
                                    {"required", ""}}),
                  hint});
}

Html password_card(const Visit& visit, bool has_one) {
  Html current;
  if (has_one) {
    current = password_field(visit.say(Word::kCurrentPassword), "currentPassword",
                             "current-password", {});
  }
  return element("details", {{"class", "card"}},
                 {element("summary", {}, {visit.say(Word::kPasswordTitle)}),
                  form(visit, "/account/password", {},
                       {element("input", {{"type", "text"},
                                          {"name", "username"},
                                          {"value", visit.user},
                                          {"autocomplete", "username"},
                                          {"hidden", ""}}),
                        current,
                        password_field(visit.say(Word::kNewPassword), "newPassword", "new-password",
                                       element("p", {{"class", "hint soft small"}},
                                               {visit.say(Word::kPasswordHint)})),
                        element("button", {}, {visit.say(Word::kChangePassword)})})});
}

}  // namespace

http::Response start_page(const Visit& visit, Executor& executor, Millis now,
                          const std::optional<Html>& word, int status) {
  const auto user = executor.user_of(*visit.person);
  const auto listed = executor.run(*visit.person, "list_sign_ins", json::Object());
  json::Array rows;
  if (listed) rows = listed->value.at("signIns").as_array();
  const bool admin = user && user->role == Role::kAdmin;
  const auto title = visit.say(Word::kStartTitle, {foreign(visit.user)});
  Html content = element("h1", {}, {title});
  content += element(
      "p", {},
      {element("span", {{"class", "chip"}},
               {visit.say(admin ? Word::kRoleAdmin : Word::kRoleUser)}),
       " ", element("a", {{"class", "small"}, {"href", "/api/docs"}}, {visit.say(Word::kHelp)})});
  if (word) content += *word;
  content += connect_card(visit);
  content += sign_ins_card(visit, rows, now);
  content += password_card(visit, user && !user->password.empty());
  return show(visit, {.title = visit.say(Word::kStartTitle, {visit.user}),
                      .content = content,
                      .status = status,
                      .wide = true});
}

}  // namespace cairn::pages
