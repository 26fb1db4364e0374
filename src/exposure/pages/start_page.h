// What somebody who is signed in finds at `/`: how to connect a client, where they are signed in,
// their password.
//
// Threads  plain functions of their arguments.
#pragma once

#include <optional>

#include "exposure/pages/frame.h"

namespace cairn::pages {

// REQUIRES: somebody is signed in. `word`: what came of the form that was sent last.
http::Response start_page(const Visit& visit, Executor& executor, Millis now,
                          const std::optional<Html>& word = std::nullopt, int status = 200);

}  // namespace cairn::pages
