// What the pages load: a style sheet, an icon, and one small script.
//
// The script is of the page where people sign in, and of no other: only a script can read what
// stands behind the # of a sign-in link. Without it the code can be pasted into a form.
#pragma once

#include <string_view>

namespace cairn::pages {

extern const std::string_view kStyle;
extern const std::string_view kSignInScript;
extern const std::string_view kIcon;

inline constexpr std::string_view kStylePath = "/pages/style.css";
inline constexpr std::string_view kScriptPath = "/pages/sign-in.js";
inline constexpr std::string_view kIconPath = "/pages/icon.svg";

}  // namespace cairn::pages
