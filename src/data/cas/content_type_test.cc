#include "data/cas/content_type.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/cas/node.h"

namespace cairn {
namespace {

using std::string_view_literals::operator""sv;
using testing::HasSubstr;

struct Case {
  std::string_view name;
  std::string_view content;
  std::string_view type;
};

void check(std::span<const Case> cases) {
  for (const auto& c : cases) {
    EXPECT_EQ(content_type(c.name, c.content), c.type) << c.name << ": " << c.content.substr(0, 40);
  }
}

TEST(ContentType, ComesFromTheExtensionInAnyCase) {
  const Case cases[] = {
      {"a.ts", "let a", "text/typescript"},
      {"a.tsx", "", "text/typescript"},
      {"a.d.ts", "", "text/typescript"},
      {"a.md", "# a", "text/markdown"},
      {"a.json", "{}", "application/json"},
      {"a.js", "", "text/javascript"},
      {"a.py", "", "text/x-python"},
      {"a.h", "", "text/x-c"},
      {"a.cc", "", "text/x-c++"},
      {"a.cpp", "", "text/x-c++"},
      {"a.hpp", "", "text/x-c++"},
      {"a.rs", "", "text/x-rust"},
      {"a.go", "", "text/x-go"},
      {"a.yaml", "", "application/yaml"},
      {"a.yml", "", "application/yaml"},
      {"a.toml", "", "application/toml"},
      {"a.csv", "", "text/csv"},
      {"a.html", "", "text/html"},
      {"a.css", "", "text/css"},
      {"a.svg", "", "image/svg+xml"},
      {"a.xml", "", "application/xml"},
      {"a.sql", "", "application/sql"},
      {"a.7z", "", "application/x-7z-compressed"},
      {"a.zst", "", "application/zstd"},
      {"IMG_1.JPG", "", "image/jpeg"},
      {"Main.CPP", "", "text/x-c++"},
      {"a.tar.gz", "", "application/gzip"},
      {"a b.ts", "", "text/typescript"},
      {"é.ts", "", "text/typescript"},
      {"a.png", "not a picture", "image/png"},
      {"a.py", "<?xml version='1.0'?>", "text/x-python"},
      {"a.plantuml", "", "text/x-plantuml"},
  };
  check(cases);
}

TEST(ContentType, ComesFromAWellKnownName) {
  const Case cases[] = {
      {"Makefile", "all:", "text/x-makefile"},
      {"makefile", "all:", "text/x-makefile"},
      {"Dockerfile", "FROM x", "text/x-dockerfile"},
      {"CMakeLists.txt", "", "text/x-cmake"},
      {"LICENSE", "MIT", "text/plain"},
      {".gitignore", "*.o", "text/plain"},
      {".bashrc", "", "text/x-shellscript"},
      {"Cargo.lock", "", "application/toml"},
      {"go.mod", "module a", "text/x-go-mod"},
      {".env", "A=1", "text/x-dotenv"},
  };
  check(cases);
}

TEST(ContentType, AsksTheContentWhenTheNameDoesNotTell) {
  const Case cases[] = {
      {"a", "", "text/plain"},
      {"a", "hello", "text/plain"},
      {"a", "héllo", "text/plain"},
      {"a.", "hello", "text/plain"},
      {".json", "hello", "text/plain"},
      {"", "hello", "text/plain"},
      {"a.unheardof", "hello", "text/plain"},
      {"a.an-extension-longer-than-every-known-one", "hello", "text/plain"},
      {"a", "a\0b"sv, "application/octet-stream"},
      {"a", "\xFF\xFE\xFA", "application/octet-stream"},
  };
  check(cases);
}

TEST(ContentType, KnowsSignaturesOfBinaryFormats) {
  const std::string tar = std::string("a.txt") + std::string(252, '\0') + "ustar";
  const std::string webm = "\x1A\x45\xDF\xA3\x9F\x42\x82\x84webm";
  const Case cases[] = {
      {"a", "\x89PNG\r\n\x1a\n", "image/png"},
      {"a", "\xFF\xD8\xFF\xE0", "image/jpeg"},
      {"a", "GIF89a\1\0"sv, "image/gif"},
      {"a", "RIFF\1\0\0\0WEBPVP8 "sv, "image/webp"},
      {"a", "RIFF\1\0\0\0WAVEfmt "sv, "audio/wav"},
      {"a", "RIFF\1\0\0\0AVI LIST"sv, "video/x-msvideo"},
      {"a", "RIFF\1\0\0\0____"sv, "application/octet-stream"},
      {"a", "BM\x36\1\0\0\0\0\0\0"sv, "image/bmp"},
      {"a", "BM\0"sv, "application/octet-stream"},
      {"a", "\0\0\1\0\1"sv, "image/x-icon"},
      {"a", "II*\0"sv, "image/tiff"},
      {"a", "MM\0*"sv, "image/tiff"},
      {"a", "%PDF-1.7", "application/pdf"},
      {"a", "%PDF-1.7\n\xE2\xE3\0"sv, "application/pdf"},
      {"a", "PK\3\4\x14\0"sv, "application/zip"},
      {"a", "\x1F\x8B\x08", "application/gzip"},
      {"a", "BZh91AY&SY\xFF", "application/x-bzip2"},
      {"a", "\xFD\x37zXZ\0"sv, "application/x-xz"},
      {"a", "\x28\xB5\x2F\xFD", "application/zstd"},
      {"a", "7z\xBC\xAF\x27\x1C", "application/x-7z-compressed"},
      {"a", tar, "application/x-tar"},
      {"a", "\x7F\x45LF\2\1\1\0"sv, "application/x-elf"},
      {"a", "\0asm\1"sv, "application/wasm"},
      {"a", "\xCA\xFE\xBA\xBE\0\0\0\x34"sv, "application/java-vm"},
      {"a", "\xCA\xFE\xBA\xBE\0\0\0\2"sv, "application/x-mach-binary"},
      {"a", "\xCA\xFE\xBA\xBE", "application/octet-stream"},
      {"a", "\xCF\xFA\xED\xFE", "application/x-mach-binary"},
      {"a", "MZ\x90\0"sv, "application/vnd.microsoft.portable-executable"},
      {"a", "SQLite format 3\0"sv, "application/vnd.sqlite3"},
      {"a", "ID3\4\0"sv, "audio/mpeg"},
      {"a", "\xFF\xFB\x90", "audio/mpeg"},
      {"a", "OggS\0"sv, "audio/ogg"},
      {"a", "fLaC\0"sv, "audio/flac"},
      {"a",
       "\0\0\0\x18"
       "ftypisom"sv,
       "video/mp4"},
      {"a",
       "\0\0\0\x18"
       "ftypqt  "sv,
       "video/quicktime"},
      {"a",
       "\0\0\0\x18"
       "ftypavif"sv,
       "image/avif"},
      {"a", webm, "video/webm"},
      {"a", "\x1A\x45\xDF\xA3\x9F", "video/x-matroska"},
      {"a", "wOFF\0"sv, "font/woff"},
      {"a", "wOF2\0"sv, "font/woff2"},
      {"a", "\0\1\0\0\0"sv, "font/ttf"},
      {"a", "OTTO\0"sv, "font/otf"},
  };
  check(cases);
}

TEST(ContentType, DoesNotTakeTextForABinaryFormat) {
  const Case cases[] = {
      {"a", "MZ is a pair of letters", "text/plain"},
      {"a", "BM", "text/plain"},
      {"a", "GIF89a is a format", "text/plain"},
      {"a", "Good", "text/plain"},
      {"a", "OTTO", "text/plain"},
  };
  check(cases);
}

TEST(ContentType, ReadsTheInterpreterOfAScript) {
  const Case cases[] = {
      {"run", "#!/bin/sh\necho", "text/x-shellscript"},
      {"run", "#! /bin/bash -e", "text/x-shellscript"},
      {"run", "#!/usr/bin/env python3\n", "text/x-python"},
      {"run", "#!/usr/bin/env -S python3.11 -u\n", "text/x-python"},
      {"run", "#!/usr/bin/env A=1 node\n", "text/javascript"},
      {"run", "#!/usr/bin/perl\r\n", "text/x-perl"},
      {"run", "#!/usr/bin/Rscript\n", "text/x-r"},
      {"run", "#!/opt/unheard-of\n", "text/plain"},
      {"run", "#!/usr/bin/env", "text/plain"},
      {"run", "#!\npython", "text/plain"},
      {"run", "#!", "text/plain"},
      {"run", "#!/bin/sh\n\0"sv, "application/octet-stream"},
  };
  check(cases);
}

TEST(ContentType, RecognisesMarkup) {
  const Case cases[] = {
      {"a", "<?xml version=\"1.0\"?>", "application/xml"},
      {"a", "<!DOCTYPE html>", "text/html"},
      {"a", "<!doctype HTML>", "text/html"},
      {"a", "\n  <html lang=en>", "text/html"},
      {"a", "\xEF\xBB\xBF<?xml?>", "application/xml"},
      {"a", "<svg xmlns=", "image/svg+xml"},
      {"a", "<!doctype", "text/plain"},
      {"a", "  ", "text/plain"},
  };
  check(cases);
}

TEST(ContentType, DoesNotBelieveATextNameOnBinaryContent) {
  std::string video(188 * 3, '\0');
  for (std::size_t at : {0, 188, 376}) video[at] = 'G';
  std::string timed_video = std::string(4, '\0') + video;
  timed_video.insert(4 + 188, 4, '\0');
  const std::string late_nul = std::string(8191, 'a') + '\0';
  const std::string too_late_nul = std::string(8192, 'a') + '\0';
  const Case cases[] = {
      {"a.ts", video, "video/mp2t"},
      {"a.mts", timed_video, "video/mp2t"},
      {"a.ts", "\0G"sv, "application/octet-stream"},
      {"a.txt", "\x89PNG\r\n\x1a\n\0"sv, "image/png"},
      {"a.json", "{\0}"sv, "application/octet-stream"},
      {"a.svg", "\x1F\x8B\0"sv, "application/gzip"},
      {"a.plist", "bplist00\0"sv, "application/x-bplist"},
      {"Makefile", "a\0"sv, "application/octet-stream"},
      {"a.md", late_nul, "application/octet-stream"},
      {"a.md", too_late_nul, "text/markdown"},
      {"a.txt", "latin-1: \xE9", "text/plain"},
      {"a.png", "\0\0"sv, "image/png"},
  };
  check(cases);
}

TEST(ContentType, NeedsNoMoreThanTheSample) {
  const std::string contents[] = {
      std::string(8191, 'a') + "é" + std::string(9000, 'b'),
      std::string(8190, 'a') + "\xE2\x82\xAC" + "b",
      std::string(8191, 'a') + "\xFF" + "b",
      std::string(8192, 'a') + "\xFF",
      std::string(20000, 'a') + '\0',
  };
  for (const auto& content : contents) {
    EXPECT_EQ(content_type("a", content),
              content_type("a", std::string_view(content).substr(0, kContentTypeSample)));
  }
}

TEST(ContentType, IsWrittenTheWayCallersTypesAre) {
  for (auto name :
       {"a.ts", "a.cc", "a.pptx", "a.kml", "a.json", "Makefile", "a.wasm", "a.unknown"}) {
    auto type = content_type(name, "");
    EXPECT_EQ(parse_content_type(type).value(), type);
  }
}

TEST(TextType, IsWhatAnAgentReadsAsText) {
  for (auto type :
       {"text/plain", "text/typescript", "text/plain; charset=utf-8", "application/json",
        "application/xml", "application/yaml", "application/toml", "application/sql",
        "application/javascript", "application/ld+json", "image/svg+xml", "application/x-ndjson",
        "application/json ; a=b", "application/openapi+yaml", "message/rfc822"}) {
    EXPECT_TRUE(is_text_type(type)) << type;
  }
  for (auto type : {"", "image/png", "application/octet-stream", "application/pdf", "textual/plain",
                    "application/jsonish", "application/zip; a=+json", "video/mp2t"}) {
    EXPECT_FALSE(is_text_type(type)) << type;
  }
}

TEST(ParseContentType, WritesATypeInItsOneSpelling) {
  struct Row {
    std::string_view text;
    std::string_view type;
  };
  const Row rows[] = {
      {"text/plain", "text/plain"},
      {"Text/HTML", "text/html"},
      {"  text/html\t", "text/html"},
      {"text/plain;charset=utf-8", "text/plain; charset=utf-8"},
      {"text/plain ;  Charset=UTF-8 ", "text/plain; charset=UTF-8"},
      {"text/plain; charset=\"utf-8\"", "text/plain; charset=utf-8"},
      {"text/plain; a=1; b=2", "text/plain; a=1; b=2"},
      {"text/plain;", "text/plain"},
      {"text/plain;;a=1", "text/plain; a=1"},
      {"application/vnd.api+json", "application/vnd.api+json"},
      {"image/svg+xml", "image/svg+xml"},
      {"x/y", "x/y"},
  };
  for (const auto& row : rows) {
    auto parsed = parse_content_type(row.text);
    ASSERT_TRUE(parsed) << row.text;
    EXPECT_EQ(*parsed, row.type);
    EXPECT_EQ(parse_content_type(*parsed).value(), row.type) << "the second time";
  }
}

TEST(ParseContentType, RefusesWhatIsNoTypeAndSaysWhatIsExpected) {
  const std::string_view cases[] = {
      "",           "text",           "text/",         "/plain",       "text/plain/x",
      "text /html", "text/ html",     "*/*",           "text/*",       "text/pla in",
      "téxt/plain", "text/plain\n",   "text/\0"sv,     "text/plain;a", "text/plain; a=",
      "-a/b",       "text/plain; =b", "text/x; a=b c", "a/b; c=\"",    "a/b; c=\"d e\"",
      "a/b; c=d=e", "text/plain,a/b", "\xFF/a",
  };
  for (auto text : cases) {
    auto parsed = parse_content_type(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, Code::kInvalidArgument);
    EXPECT_THAT(parsed.error().message, HasSubstr("write type/subtype")) << text;
    EXPECT_THAT(parsed.error().message, testing::Not(HasSubstr("\xFF")));
  }
}

TEST(ParseContentType, AllowsAsManyBytesAsANodeHolds) {
  const std::string longest = "text/" + std::string(kMaxTypeBytes - 5, 'a');
  EXPECT_EQ(parse_content_type(longest).value(), longest);
  auto parsed = parse_content_type(longest + "a");
  ASSERT_FALSE(parsed);
  EXPECT_THAT(parsed.error().message, HasSubstr("127 is the most"));
}

}  // namespace
}  // namespace cairn
