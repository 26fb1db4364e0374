// The frame around every page: head, name, footer, and the headers that keep it apart from others.
//
// Threads  plain functions of their arguments.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "exposure/http/http.h"
#include "exposure/pages/html.h"
#include "exposure/pages/words.h"
#include "exposure/rest/browser.h"

namespace cairn::pages {

// Somebody who looks at a page.
struct Visit {
  const http::Request& request;
  rest::Site site;
  Language language = Language::kEnglish;
  // Who is signed in, if anybody is.
  std::optional<Caller> person = std::nullopt;
  std::string user = {};  // that person's name

  std::string_view csrf() const { return person ? std::string_view(person->sign_in()->csrf) : ""; }
  Html say(Word word) const { return pages::say(language, word); }
  Html say(Word word, std::initializer_list<Html> in_places) const {
    return pages::say(language, word, in_places);
  }
};

struct Page {
  Html title;
  Html content;
  int status = 200;
  bool wide = false;
  bool script = false;  // of signing in
  // Where the browser goes by itself. The content has a link there, too.
  std::string refresh = {};
};

http::Response show(const Visit& visit, const Page& page);

// Whether a browser may be sent to an address: nothing that would run in this page.
bool may_go_to(std::string_view address);

// A form that posts to `action` and is known as ours.
Html form(const Visit& visit, std::string_view action, Attributes attributes,
          std::initializer_list<Html> inner);
Html hidden(std::string_view name, std::string_view value);
Html alert(const Html& text, std::string_view kind = "alert");
// How many seconds somebody has to wait who tried too often.
Html waiting_time(const Error& error);
// `3 min ago`, or a date.
Html ago(const Visit& visit, Millis time, Millis now);

}  // namespace cairn::pages
