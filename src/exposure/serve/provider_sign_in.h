// Signing in by a foreign provider, at a server: it ends in a sign-in like any other.
//
// Threads  as oidc/foreign_sign_in.h says.
#pragma once

#include <memory>

#include "exposure/oidc/foreign_sign_in.h"
#include "exposure/rest/browser.h"
#include "tools/engine/engine.h"

namespace cairn {

// REQUIRES: the engine outlives it.
Result<std::unique_ptr<oidc::ForeignSignIn>> open_provider(const oidc::Settings& settings,
                                                           Engine& engine, rest::Site site);

}  // namespace cairn
