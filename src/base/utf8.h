// UTF-8: what is valid, and what counts as text.
#pragma once

#include "base/bytes.h"

namespace cairn {

// No overlong forms, surrogates, or code points above U+10FFFF.
bool valid_utf8(ByteView bytes);

// Text is what an agent can read: no NUL byte in the first 8 KiB, and valid UTF-8 there (a
// sequence cut by the end of the sample is fine). Empty is text.
bool looks_like_text(ByteView bytes);

}  // namespace cairn
