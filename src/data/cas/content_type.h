// Content types: what a file is, as type/subtype, told from its name and its first bytes.
//
// The result is part of a node's hash, so it must be the same on every machine: there is no
// libmagic and no system table here, only the tables of content_type.cc. A changed row gives the
// next version of a file another key; add rows, and change them as one changes a format.
//
// Threads     plain functions of their arguments.
// Cost        content_type: two lookups and one search for NUL in the first 8 KiB when the name
//             tells; else a check of those bytes for UTF-8 and a short table of signatures.
#pragma once

#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"

namespace cairn {

// As much of a file as content_type looks at: more bytes do not change the answer.
inline constexpr std::size_t kContentTypeSample = 8 * 1024 + 1;

// In this order: a well-known name (`Makefile`), the extension in any case (`.JPG`), a signature
// (`\x89PNG`, `#!/bin/sh`, `<?xml`), `text/plain` for text, `application/octet-stream`. A name that
// promises text is not believed when a NUL shows the content to be binary (MPEG video in `a.ts`).
// `name` is the last component of the path; `content` the whole file or its first
// kContentTypeSample bytes. The view is of static memory.
std::string_view content_type(std::string_view name, ByteView content);

// Whether an agent reads files of this type as text: text/*, JSON, XML, YAML, TOML, SQL, scripts,
// and what is built on them (+json, +xml, +yaml). Parameters are ignored.
bool is_text_type(std::string_view content_type);

// A type given by a caller, in its one spelling: `Text/HTML;Charset="utf-8"` to
// `text/html; charset=utf-8`. Fails with INVALID_ARGUMENT.
Result<std::string> parse_content_type(std::string_view text);

}  // namespace cairn
