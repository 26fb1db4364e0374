#include "data/cas/content_type.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <iterator>
#include <ranges>
#include <span>

#include "base/ascii.h"
#include "base/utf8.h"
#include "data/cas/node.h"

namespace cairn {
namespace {

using std::string_view_literals::operator""sv;

// ---- Tables -----------------------------------------------------------------------------------

// Written by type, for people.
struct Keys {
  std::string_view type;
  std::string_view keys;  // separated by spaces, in lower case
};

constexpr Keys kExtensions[] = {
    // Code.
    {"text/typescript", "ts tsx mts cts"},
    {"text/javascript", "js mjs cjs jsx"},
    {"text/x-python", "py pyi pyw pyx"},
    {"text/x-c", "c h"},
    {"text/x-c++", "cc cpp cxx c++ hh hpp hxx h++ ipp inl tpp cppm ixx"},
    {"text/x-rust", "rs"},
    {"text/x-go", "go"},
    {"text/x-java", "java"},
    {"text/x-kotlin", "kt kts"},
    {"text/x-scala", "scala sc sbt"},
    {"text/x-groovy", "groovy gradle"},
    {"text/x-csharp", "cs csx"},
    {"text/x-fsharp", "fs fsi fsx"},
    {"text/x-vb", "vb vbs bas"},
    {"text/x-swift", "swift"},
    {"text/x-objective-c", "m"},
    {"text/x-objective-c++", "mm"},
    {"text/x-ruby", "rb gemspec rake"},
    {"text/x-php", "php phtml php5"},
    {"text/x-perl", "pl pm t"},
    {"text/x-lua", "lua"},
    {"text/x-r", "r"},
    {"text/x-julia", "jl"},
    {"text/x-dart", "dart"},
    {"text/x-elixir", "ex exs"},
    {"text/x-erlang", "erl hrl"},
    {"text/x-haskell", "hs lhs"},
    {"text/x-ocaml", "ml mli"},
    {"text/x-clojure", "clj cljs cljc edn"},
    {"text/x-common-lisp", "lisp lsp cl"},
    {"text/x-emacs-lisp", "el"},
    {"text/x-scheme", "scm rkt ss"},
    {"text/x-zig", "zig"},
    {"text/x-nim", "nim"},
    {"text/x-d", "d"},
    {"text/x-crystal", "cr"},
    {"text/x-pascal", "pas dpr"},
    {"text/x-fortran", "f f77 f90 f95 f03 for"},
    {"text/x-asm", "asm s nasm"},
    {"text/x-cuda", "cu cuh"},
    {"text/x-glsl", "glsl vert frag comp"},
    {"text/x-hlsl", "hlsl"},
    {"text/x-wgsl", "wgsl"},
    {"text/x-verilog", "v vh"},
    {"text/x-systemverilog", "sv svh"},
    {"text/x-vhdl", "vhd vhdl"},
    {"text/x-solidity", "sol"},
    {"text/x-tcl", "tcl"},
    {"text/x-awk", "awk"},
    {"text/x-sed", "sed"},
    {"text/x-shellscript", "sh bash zsh ksh fish bats"},
    {"text/x-powershell", "ps1 psm1 psd1"},
    {"text/x-batch", "bat cmd"},
    {"text/x-vim", "vim"},
    {"text/x-makefile", "mk mak"},
    {"text/x-cmake", "cmake"},
    {"text/x-dockerfile", "dockerfile"},
    {"text/x-meson", "meson"},
    {"text/x-starlark", "bzl bazel star"},
    {"text/x-nix", "nix"},
    {"text/x-terraform", "tf tfvars hcl"},
    {"text/x-protobuf", "proto"},
    {"text/x-thrift", "thrift"},
    {"text/x-capnp", "capnp"},
    {"application/graphql", "graphql gql"},
    {"text/x-prisma", "prisma"},
    {"text/x-vue", "vue"},
    {"text/x-svelte", "svelte"},
    {"text/x-astro", "astro"},
    {"text/x-handlebars", "hbs handlebars"},
    {"text/x-jinja", "jinja jinja2 j2"},
    {"text/x-pug", "pug"},
    {"text/x-mustache", "mustache"},
    {"text/x-lean", "lean"},
    {"text/x-agda", "agda"},
    {"text/x-gdscript", "gd"},
    {"text/x-elm", "elm"},
    {"text/x-move", "move"},
    {"text/x-wat", "wat"},
    {"text/x-coffeescript", "coffee"},
    {"text/x-gleam", "gleam"},
    {"text/x-purescript", "purs"},
    {"text/x-applescript", "applescript"},
    {"text/x-cython", "pxd"},
    {"text/x-llvm", "ll"},
    {"text/x-mojo", "mojo"},
    // Web.
    {"text/html", "html htm"},
    {"application/xhtml+xml", "xhtml"},
    {"text/css", "css"},
    {"text/x-scss", "scss"},
    {"text/x-sass", "sass"},
    {"text/x-less", "less"},
    {"application/manifest+json", "webmanifest"},
    {"application/wasm", "wasm"},
    // Documents.
    {"text/plain", "txt text log nfo lock asc"},
    {"text/markdown", "md markdown mdown mkd mdx"},
    {"text/x-rst", "rst"},
    {"text/asciidoc", "adoc asciidoc"},
    {"text/x-org", "org"},
    {"text/x-tex", "tex sty ltx"},
    {"text/x-bibtex", "bib"},
    {"text/rtf", "rtf"},
    {"text/x-typst", "typ"},
    {"text/troff", "man roff"},
    {"text/x-diff", "diff patch"},
    {"text/vtt", "vtt"},
    {"application/x-subrip", "srt"},
    {"text/calendar", "ics"},
    {"text/vcard", "vcf"},
    {"message/rfc822", "eml"},
    {"text/x-dot", "dot gv"},
    {"text/x-mermaid", "mmd mermaid"},
    {"text/x-plantuml", "puml plantuml"},
    {"text/x-gettext", "po pot"},
    {"application/pdf", "pdf"},
    {"application/postscript", "ps eps"},
    {"application/epub+zip", "epub"},
    {"application/x-mobipocket-ebook", "mobi"},
    {"application/msword", "doc"},
    {"application/vnd.ms-excel", "xls"},
    {"application/vnd.ms-powerpoint", "ppt"},
    {"application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx"},
    {"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"},
    {"application/vnd.openxmlformats-officedocument.presentationml.presentation", "pptx"},
    {"application/vnd.oasis.opendocument.text", "odt"},
    {"application/vnd.oasis.opendocument.spreadsheet", "ods"},
    {"application/vnd.oasis.opendocument.presentation", "odp"},
    {"application/vnd.oasis.opendocument.graphics", "odg"},
    // Configuration and data.
    {"application/json", "json map"},
    {"application/json5", "json5 jsonc"},
    {"application/x-ndjson", "jsonl ndjson"},
    {"application/geo+json", "geojson"},
    {"application/ld+json", "jsonld"},
    {"application/schema+json", "jsonschema"},
    {"application/x-ipynb+json", "ipynb"},
    {"application/yaml", "yaml yml"},
    {"application/toml", "toml"},
    {"text/x-ini", "ini cfg conf cnf service"},
    {"text/x-properties", "properties"},
    {"text/x-dotenv", "env"},
    {"text/x-editorconfig", "editorconfig"},
    {"application/xml",
     "xml xsd xsl xslt dtd plist xib storyboard csproj vbproj fsproj props targets resx"},
    {"application/wsdl+xml", "wsdl"},
    {"application/rss+xml", "rss"},
    {"application/atom+xml", "atom"},
    {"application/rdf+xml", "rdf"},
    {"application/gpx+xml", "gpx"},
    {"application/vnd.google-earth.kml+xml", "kml"},
    {"text/turtle", "ttl"},
    {"application/n-triples", "nt"},
    {"text/csv", "csv"},
    {"text/tab-separated-values", "tsv tab"},
    {"application/sql", "sql"},
    {"application/vnd.sqlite3", "sqlite sqlite3"},
    {"application/vnd.apache.parquet", "parquet"},
    {"application/vnd.apache.arrow.file", "arrow feather"},
    {"application/avro", "avro"},
    {"application/x-hdf5", "h5 hdf5"},
    {"application/x-numpy", "npy npz"},
    {"application/x-pickle", "pkl pickle"},
    {"application/vnd.safetensors", "safetensors"},
    {"application/vnd.gguf", "gguf"},
    {"application/onnx", "onnx"},
    {"application/cbor", "cbor"},
    {"application/vnd.msgpack", "msgpack"},
    {"text/x-jsonnet", "jsonnet libsonnet"},
    {"text/x-cue", "cue"},
    {"application/x-pem-file", "pem crt"},
    {"application/pgp-signature", "sig"},
    {"application/x-x509-ca-cert", "der cer"},
    {"application/x-pkcs12", "p12 pfx"},
    // Images.
    {"image/png", "png"},
    {"image/apng", "apng"},
    {"image/jpeg", "jpg jpeg jpe jfif"},
    {"image/gif", "gif"},
    {"image/webp", "webp"},
    {"image/bmp", "bmp dib"},
    {"image/x-icon", "ico cur"},
    {"image/tiff", "tif tiff"},
    {"image/svg+xml", "svg"},
    {"image/avif", "avif"},
    {"image/heic", "heic"},
    {"image/heif", "heif"},
    {"image/jxl", "jxl"},
    {"image/jp2", "jp2"},
    {"image/vnd.adobe.photoshop", "psd"},
    {"image/x-xcf", "xcf"},
    {"image/x-tga", "tga"},
    {"image/x-portable-pixmap", "ppm"},
    {"image/x-exr", "exr"},
    {"image/x-dds", "dds"},
    {"image/x-portable-graymap", "pgm"},
    {"image/x-portable-bitmap", "pbm"},
    {"image/x-portable-anymap", "pnm"},
    // Audio and video.
    {"audio/mpeg", "mp3"},
    {"audio/ogg", "ogg oga"},
    {"audio/opus", "opus"},
    {"audio/flac", "flac"},
    {"audio/wav", "wav"},
    {"audio/mp4", "m4a"},
    {"audio/aac", "aac"},
    {"audio/midi", "mid midi"},
    {"audio/aiff", "aiff aif"},
    {"audio/x-ms-wma", "wma"},
    {"audio/mpegurl", "m3u m3u8"},
    {"audio/amr", "amr"},
    {"audio/webm", "weba"},
    {"video/mp4", "mp4 m4v"},
    {"video/quicktime", "mov qt"},
    {"video/webm", "webm"},
    {"video/x-matroska", "mkv"},
    {"video/x-msvideo", "avi"},
    {"video/mpeg", "mpg mpeg"},
    {"video/ogg", "ogv"},
    {"video/x-ms-wmv", "wmv"},
    {"video/x-flv", "flv"},
    {"video/3gpp", "3gp"},
    {"video/mp2t", "m2ts"},
    // Fonts and models.
    {"font/woff", "woff"},
    {"font/woff2", "woff2"},
    {"font/ttf", "ttf"},
    {"font/otf", "otf"},
    {"font/collection", "ttc"},
    {"application/vnd.ms-fontobject", "eot"},
    {"model/gltf+json", "gltf"},
    {"model/gltf-binary", "glb"},
    {"model/stl", "stl"},
    {"model/obj", "obj"},
    {"model/step", "step stp"},
    // Archives and programs.
    {"application/zip", "zip"},
    {"application/gzip", "gz tgz"},
    {"application/x-bzip2", "bz2 tbz2"},
    {"application/x-xz", "xz txz"},
    {"application/zstd", "zst"},
    {"application/x-7z-compressed", "7z"},
    {"application/vnd.rar", "rar"},
    {"application/x-tar", "tar"},
    {"application/x-lz4", "lz4"},
    {"application/x-lzma", "lzma"},
    {"application/x-brotli", "br"},
    {"application/java-archive", "jar war"},
    {"application/vnd.android.package-archive", "apk"},
    {"application/x-debian-package", "deb"},
    {"application/x-rpm", "rpm"},
    {"application/x-iso9660-image", "iso"},
    {"application/x-apple-diskimage", "dmg"},
    {"application/x-cpio", "cpio"},
    {"application/java-vm", "class"},
    {"application/vnd.microsoft.portable-executable", "exe dll msi"},
    {"application/x-sharedlib", "so"},
    {"application/x-object", "o"},
    {"application/x-archive", "a"},
    {"application/x-mach-binary", "dylib"},
    {"application/x-python-code", "pyc pyo"},
    {"application/x-wheel+zip", "whl"},
    {"application/x-crx", "crx"},
    {"application/x-ole-storage", "msg"},
};

constexpr Keys kNames[] = {
    {"text/x-makefile", "makefile gnumakefile kbuild"},
    {"text/x-dockerfile", "dockerfile containerfile"},
    {"text/x-cmake", "cmakelists.txt"},
    {"text/plain",
     "license licence copying copyright notice readme changelog changes authors contributors "
     "maintainers codeowners owners todo news version go.sum .gitignore .gitattributes .gitmodules "
     ".gitkeep .mailmap .dockerignore .npmignore .prettierignore .eslintignore .ignore .rgignore "
     ".cursorignore .cursorrules .nvmrc .node-version .python-version .ruby-version "
     ".tool-versions"},
    {"text/x-shellscript",
     ".bashrc .bash_profile .bash_aliases .profile .zshrc .zprofile .zshenv .envrc "
     "configure gradlew pkgbuild"},
    {"text/x-ruby", "gemfile rakefile vagrantfile podfile brewfile fastfile guardfile"},
    {"text/x-groovy", "jenkinsfile"},
    {"text/x-starlark", "tiltfile"},
    {"text/x-python", "sconstruct sconscript"},
    {"text/x-go-mod", "go.mod go.work"},
    {"text/x-justfile", "justfile .justfile"},
    {"text/x-procfile", "procfile"},
    {"text/x-caddyfile", "caddyfile"},
    {"text/x-meson", "meson.build meson_options.txt"},
    {"text/x-dotenv", ".env .env.local .env.example"},
    {"text/x-editorconfig", ".editorconfig"},
    {"text/x-ini", ".gitconfig .npmrc .pylintrc .flake8"},
    {"application/toml", "pipfile cargo.lock poetry.lock uv.lock"},
    {"application/json",
     ".babelrc .eslintrc .prettierrc .swcrc composer.lock pipfile.lock flake.lock"},
    {"application/yaml", ".clang-format .clang-tidy .clangd"},
    {"text/x-vim", ".vimrc"},
    {"text/x-emacs-lisp", ".emacs"},
};

// Interpreters after `#!`, without path and version.
constexpr Keys kInterpreters[] = {
    {"text/javascript", "node nodejs bun"},
    {"text/typescript", "deno ts-node tsx"},
    {"text/x-applescript", "osascript"},
    {"text/x-awk", "awk gawk mawk"},
    {"text/x-elixir", "elixir"},
    {"text/x-groovy", "groovy"},
    {"text/x-haskell", "runghc runhaskell"},
    {"text/x-julia", "julia"},
    {"text/x-lua", "lua luajit"},
    {"text/x-makefile", "make"},
    {"text/x-perl", "perl"},
    {"text/x-php", "php"},
    {"text/x-powershell", "pwsh"},
    {"text/x-python", "python pypy uv"},
    {"text/x-r", "rscript"},
    {"text/x-ruby", "ruby"},
    {"text/x-sed", "sed"},
    {"text/x-shellscript", "sh bash dash ash zsh ksh fish"},
    {"text/x-swift", "swift"},
    {"text/x-tcl", "tclsh"},
};

// Text that is not called text/*; suffixes such as +json are known apart from this.
constexpr std::string_view kTextTypes[] = {
    "application/ecmascript",   "application/graphql",
    "application/javascript",   "application/json",
    "application/json5",        "application/jsonl",
    "application/n-triples",    "application/sql",
    "application/toml",         "application/typescript",
    "application/x-javascript", "application/x-ndjson",
    "application/x-pem-file",   "application/x-sh",
    "application/x-subrip",     "application/x-typescript",
    "application/x-yaml",       "application/xml",
    "application/yaml",         "audio/mpegurl",
    "message/rfc822",
};
static_assert(std::ranges::is_sorted(kTextTypes));

// Bytes at a place in binary content. The first that fits wins.
struct Signature {
  std::size_t at;
  std::string_view bytes;
  std::string_view type;
};

constexpr Signature kSignatures[] = {
    {257, "ustar"sv, "application/x-tar"},
    {0, "\x89PNG\r\n\x1a\n"sv, "image/png"},
    {0, "\xFF\xD8\xFF"sv, "image/jpeg"},
    {0, "GIF87a"sv, "image/gif"},
    {0, "GIF89a"sv, "image/gif"},
    {0, "II*\0"sv, "image/tiff"},
    {0, "MM\0*"sv, "image/tiff"},
    {0, "\0\0\1\0"sv, "image/x-icon"},
    {0, "8BPS"sv, "image/vnd.adobe.photoshop"},
    {0, "PK\3\4"sv, "application/zip"},
    {0, "PK\5\6"sv, "application/zip"},
    {0, "\x1F\x8B"sv, "application/gzip"},
    {0, "BZh"sv, "application/x-bzip2"},
    {0,
     "\xFD"
     "7zXZ\0"sv,
     "application/x-xz"},
    {0, "\x28\xB5\x2F\xFD"sv, "application/zstd"},
    {0, "7z\xBC\xAF\x27\x1C"sv, "application/x-7z-compressed"},
    {0, "Rar!\x1A\7"sv, "application/vnd.rar"},
    {0, "\4\x22M\x18"sv, "application/x-lz4"},
    {0, "!<arch>\ndebian"sv, "application/x-debian-package"},
    {0, "!<arch>\n"sv, "application/x-archive"},
    {0,
     "\x7F"
     "ELF"sv,
     "application/x-elf"},
    {0, "\0asm"sv, "application/wasm"},
    {0, "MZ"sv, "application/vnd.microsoft.portable-executable"},
    {0, "\xFE\xED\xFA\xCE"sv, "application/x-mach-binary"},
    {0, "\xFE\xED\xFA\xCF"sv, "application/x-mach-binary"},
    {0, "\xCE\xFA\xED\xFE"sv, "application/x-mach-binary"},
    {0, "\xCF\xFA\xED\xFE"sv, "application/x-mach-binary"},
    {0, "SQLite format 3\0"sv, "application/vnd.sqlite3"},
    {0, "PAR1"sv, "application/vnd.apache.parquet"},
    {0, "\x89HDF\r\n\x1a\n"sv, "application/x-hdf5"},
    {0, "\x93NUMPY"sv, "application/x-numpy"},
    {0, "GGUF"sv, "application/vnd.gguf"},
    {0, "bplist00"sv, "application/x-bplist"},
    {0, "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"sv, "application/x-ole-storage"},
    {0, "ID3"sv, "audio/mpeg"},
    {0, "\xFF\xFB"sv, "audio/mpeg"},
    {0, "\xFF\xF3"sv, "audio/mpeg"},
    {0, "\xFF\xF2"sv, "audio/mpeg"},
    {0, "OggS"sv, "audio/ogg"},
    {0, "fLaC"sv, "audio/flac"},
    {0, "MThd"sv, "audio/midi"},
    {0, "FLV\1"sv, "video/x-flv"},
    {0, "\0\0\1\xBA"sv, "video/mpeg"},
    {0, "\0\0\1\xB3"sv, "video/mpeg"},
    {0, "wOFF"sv, "font/woff"},
    {0, "wOF2"sv, "font/woff2"},
    {0, "\0\1\0\0\0"sv, "font/ttf"},
    {0, "OTTO"sv, "font/otf"},
    {0, "ttcf"sv, "font/collection"},
};

// ---- Lookup -----------------------------------------------------------------------------------

constexpr std::string_view kUnknown;

// A table as a hash table, for the computer: built by the compiler, at most half full.
template <std::size_t kSlots>
class Index final {
 public:
  consteval explicit Index(std::span<const Keys> table) {
    for (const auto& [type, keys] : table) {
      for (auto word : std::views::split(keys, ' ')) add(std::string_view(word), type);
    }
  }

  // The type for `key` in any case.
  std::string_view find(std::string_view key) const {
    std::array<char, kLongestKey> buffer;
    if (key.size() > buffer.size()) return kUnknown;
    auto end = std::ranges::transform(key, buffer.begin(), lower).out;
    std::string_view lowered(buffer.begin(), end);
    const auto& row = rows_[slot(lowered)];
    return row.key == lowered ? row.type : kUnknown;
  }

 private:
  struct Row {
    std::string_view key;
    std::string_view type;
  };
  static constexpr std::size_t kLongestKey = 20;
  static_assert(std::has_single_bit(kSlots));

  // Where the key is, or should be.
  constexpr std::size_t slot(std::string_view key) const {
    std::uint32_t hash = 2166136261;  // FNV-1a
    for (char c : key) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619;
    std::size_t at = (hash ^ hash >> 15) % kSlots;
    while (!rows_[at].key.empty() && rows_[at].key != key) at = (at + 1) % kSlots;
    return at;
  }

  consteval void add(std::string_view key, std::string_view type) {
    if (key.empty() || key.size() > kLongestKey) throw "a key of the wrong length";
    auto& row = rows_[slot(key)];
    if (!row.key.empty()) throw "a key twice in a table";
    if (++count_ * 2 > kSlots) throw "a table over half full";
    row = {key, type};
  }

  std::array<Row, kSlots> rows_{};
  std::size_t count_ = 0;
};

constexpr Index<1024> kByExtension(kExtensions);
constexpr Index<256> kByName(kNames);
constexpr Index<128> kByInterpreter(kInterpreters);

std::string_view type_of_name(std::string_view name) {
  auto type = kByName.find(name);
  if (!type.empty()) return type;
  auto dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return kUnknown;
  return kByExtension.find(name.substr(dot + 1));
}

bool has_at(ByteView content, std::size_t at, std::string_view bytes) {
  return content.size() >= at && content.substr(at).starts_with(bytes);
}

// ---- Binary content ---------------------------------------------------------------------------

std::string_view riff_type(ByteView content) {
  if (!content.starts_with("RIFF")) return kUnknown;
  if (has_at(content, 8, "WEBP")) return "image/webp";
  if (has_at(content, 8, "WAVE")) return "audio/wav";
  if (has_at(content, 8, "AVI ")) return "video/x-msvideo";
  return kUnknown;
}

// MP4 and its relatives: the brand follows `ftyp`.
std::string_view iso_media_type(ByteView content) {
  if (!has_at(content, 4, "ftyp")) return kUnknown;
  if (has_at(content, 8, "qt  ")) return "video/quicktime";
  if (has_at(content, 8, "M4A ")) return "audio/mp4";
  if (has_at(content, 8, "avif")) return "image/avif";
  if (has_at(content, 8, "hei") || has_at(content, 8, "mif1")) return "image/heic";
  if (has_at(content, 8, "3gp")) return "video/3gpp";
  return "video/mp4";
}

std::string_view matroska_type(ByteView content) {
  if (!content.starts_with("\x1A\x45\xDF\xA3")) return kUnknown;
  auto head = content.substr(0, 64);
  return head.find("webm") != ByteView::npos ? "video/webm" : "video/x-matroska";
}

// A Java class and a Mach-O file for several processors begin alike; the next number is the
// class's version, from 45, or the count of processors.
std::string_view cafebabe_type(ByteView content) {
  if (!content.starts_with("\xCA\xFE\xBA\xBE") || content.size() < 8) return kUnknown;
  bool few = content.substr(4, 3) == "\0\0\0"sv && content[7] >= 0 && content[7] < 45;
  return few ? "application/x-mach-binary" : "application/java-vm";
}

// Packets of 188 bytes that begin with 'G', or of 192 with four bytes of time before it.
std::string_view transport_stream_type(ByteView content) {
  auto synced = [&](std::size_t at, std::size_t packet) {
    return has_at(content, at, "G") &&
           (content.size() <= at + packet || content[at + packet] == 'G');
  };
  return synced(0, 188) || synced(4, 192) ? "video/mp2t" : kUnknown;
}

std::string_view bitmap_type(ByteView content) {
  return content.starts_with("BM") && has_at(content, 6, "\0\0\0\0"sv) ? "image/bmp" : kUnknown;
}

std::string_view signature_type(ByteView content) {
  auto fits = [&](const Signature& s) { return has_at(content, s.at, s.bytes); };
  auto found = std::ranges::find_if(kSignatures, fits);
  return found == std::end(kSignatures) ? kUnknown : found->type;
}

std::string_view type_of_binary(ByteView content) {
  static constexpr std::string_view (*kProbes[])(ByteView) = {
      signature_type, riff_type,   iso_media_type,       matroska_type,
      cafebabe_type,  bitmap_type, transport_stream_type};
  for (auto probe : kProbes) {
    if (auto type = probe(content); !type.empty()) return type;
  }
  return "application/octet-stream";
}

// ---- Text content -----------------------------------------------------------------------------

constexpr std::string_view kBlank = " \t\r\n\f";

// Takes the next word off the front of `line`.
std::string_view next_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(kBlank), line.size()));
  auto word = line.substr(0, line.find_first_of(kBlank));
  line.remove_prefix(word.size());
  return word;
}

// `#!/usr/bin/env -S python3.11 -u` to `python`.
std::string_view interpreter(ByteView content) {
  auto line = content.substr(2, std::min(content.find('\n'), std::size_t{256}) - 2);
  auto word = next_word(line);
  auto program = word.substr(word.rfind('/') + 1);
  if (program == "env") {
    do {
      program = next_word(line);
    } while (program.starts_with('-') || program.find('=') != std::string_view::npos);
    program = program.substr(program.rfind('/') + 1);
  }
  return program.substr(0, program.find_last_not_of("0123456789.") + 1);
}

bool starts_in_any_case(ByteView content, std::string_view lower_case) {
  return std::ranges::equal(content.substr(0, lower_case.size()), lower_case, {}, lower);
}

std::string_view markup_type(ByteView content) {
  if (content.starts_with("\xEF\xBB\xBF")) content.remove_prefix(3);
  content.remove_prefix(std::min(content.find_first_not_of(kBlank), content.size()));
  if (starts_in_any_case(content, "<?xml")) return "application/xml";
  if (starts_in_any_case(content, "<!doctype html")) return "text/html";
  if (starts_in_any_case(content, "<html")) return "text/html";
  if (starts_in_any_case(content, "<svg")) return "image/svg+xml";
  return kUnknown;
}

std::string_view type_of_text(ByteView content) {
  auto type =
      content.starts_with("#!") ? kByInterpreter.find(interpreter(content)) : markup_type(content);
  return type.empty() ? "text/plain" : type;
}

std::string_view type_of_content(ByteView content) {
  // These two may or may not be text.
  if (content.starts_with("%PDF-")) return "application/pdf";
  if (content.starts_with("%!PS")) return "application/postscript";
  return looks_like_text(content) ? type_of_text(content) : type_of_binary(content);
}

bool plainly_binary(ByteView content) {
  return content.substr(0, 8192).find('\0') != ByteView::npos;
}

// ---- Types given by callers -------------------------------------------------------------------

// RFC 6838's names for types and subtypes.
bool is_type_name(std::string_view text) {
  return !text.empty() && is_alphanumeric(text[0]) && std::ranges::all_of(text, [](char c) {
    return is_alphanumeric(c) || "!#$&-^_.+"sv.find(c) != std::string_view::npos;
  });
}

// RFC 9110's token.
bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return is_alphanumeric(c) || "!#$%&'*+-.^_`|~"sv.find(c) != std::string_view::npos;
  });
}

// The text before the separator; `text` becomes what follows it.
std::string_view cut(std::string_view& text, char separator) {
  auto at = text.find(separator);
  auto head = text.substr(0, at);
  text = at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
  return head;
}

void append_lower(std::string& out, std::string_view text) {
  std::ranges::transform(text, std::back_inserter(out), lower);
}

bool append_type(std::string& out, std::string_view text) {
  auto subtype = text;
  auto type = cut(subtype, '/');
  if (!is_type_name(type) || !is_type_name(subtype)) return false;
  append_lower(out, text);
  return true;
}

bool append_parameter(std::string& out, std::string_view text) {
  if (text.empty()) return true;  // a `;` too many
  auto value = text;
  auto name = cut(value, '=');
  bool quoted = value.size() >= 2 && value.front() == '"' && value.back() == '"';
  if (quoted) value = value.substr(1, value.size() - 2);
  if (!is_token(name) || !is_token(value)) return false;
  out += "; ";
  append_lower(out, name);
  out += '=';
  out += value;
  return true;
}

bool append_all(std::string& out, std::string_view text) {
  if (!append_type(out, trimmed(cut(text, ';')))) return false;
  while (!text.empty()) {
    if (!append_parameter(out, trimmed(cut(text, ';')))) return false;
  }
  return true;
}

// The caller's text, as far as a message can show it.
std::string quoted(std::string_view text) {
  auto printable = [](char c) { return c >= ' ' && c <= '~'; };
  if (!std::ranges::all_of(text, printable)) return "text with other than printable ASCII";
  return fmt::format("'{}'", text.substr(0, kMaxTypeBytes));
}

}  // namespace

std::string_view content_type(std::string_view name, ByteView content) {
  auto type = type_of_name(name);
  if (type.empty() || (plainly_binary(content) && is_text_type(type))) {
    return type_of_content(content);
  }
  return type;
}

bool is_text_type(std::string_view content_type) {
  auto type = trimmed(cut(content_type, ';'));
  return type.starts_with("text/") || type.ends_with("+json") || type.ends_with("+xml") ||
         type.ends_with("+yaml") || std::ranges::binary_search(kTextTypes, type);
}

Result<std::string> parse_content_type(std::string_view text) {
  std::string type;
  if (!append_all(type, text)) {
    return fail(Code::kInvalidArgument,
                "{} is not a content type; write type/subtype, such as 'text/markdown' or "
                "'text/plain; charset=utf-8'",
                quoted(text));
  }
  if (type.size() > kMaxTypeBytes) {
    return fail(Code::kInvalidArgument,
                "the content type beginning {} has {} bytes; {} is the most", quoted(text),
                type.size(), kMaxTypeBytes);
  }
  return type;
}

}  // namespace cairn
