// A page opened in the browser of whoever sits here.
//
// Threads     a plain function of its argument.
#pragma once

#include <string>

namespace cairn::cli {

// With $BROWSER, or xdg-open where there is a desktop. False: there is none to ask. What comes of
// it is not waited for.
bool open_page(const std::string& url);

}  // namespace cairn::cli
