// The page that shows what a client asks for, and the choice that a person makes there.
//
// It says who asks, and whether that is known or only claimed; where the answer goes; what the
// client may do, what it will see and until when. Each of the last three can be narrowed.
// Threads  plain functions of their arguments.
#pragma once

#include <optional>
#include <string_view>

#include "data/oauth/authorization.h"
#include "exposure/pages/form.h"
#include "exposure/pages/frame.h"
#include "tools/executor/executor.h"

namespace cairn::pages {

struct ConsentPage {
  std::string_view request;  // its id
  const oauth::Asked& asked;
  // What was sent before, and what was wrong with it.
  const Fields* sent = nullptr;
  std::optional<Html> error = std::nullopt;
};

// REQUIRES: somebody is signed in.
http::Response consent_page(const Visit& visit, Executor& executor, Millis now,
                            const ConsentPage& page);

// What the form says. INVALID_ARGUMENT for what is none; nothing is checked against the person's
// rights. Of a workspace, the place is what it was asked for.
Result<oauth::Choice> choice_of(const Fields& fields, const oauth::Asked& asked);

// The name of a client as people know it: what it says, or where it is from.
Html client_name(const oauth::Asked& asked);

}  // namespace cairn::pages
