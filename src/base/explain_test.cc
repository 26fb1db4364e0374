#include "base/explain.h"

#include <gtest/gtest.h>

#include "base/result.h"

namespace cairn {
namespace {

Error about_a_pointer() {
  return fail(Code::kKeyExists, "{} exists already", Subject{Subject::Kind::kPointer, "/a", "'/a'"})
      .error();
}

std::string seen_from_elsewhere(const Error& error) {
  return error.said([](const Subject& subject) { return "<" + subject.text + ">"; });
}

TEST(Explain, SaysWhereItWas) {
  const auto error = explained(about_a_pointer(), "line 7");
  EXPECT_EQ(error.code, Code::kKeyExists);
  EXPECT_EQ(error.message, "line 7: '/a' exists already");
  EXPECT_EQ(seen_from_elsewhere(error), "line 7: </a> exists already");
}

TEST(Explain, SaysWhatToDo) {
  const auto error = advised(about_a_pointer(), "choose another");
  EXPECT_EQ(error.message, "'/a' exists already; choose another");
  EXPECT_EQ(seen_from_elsewhere(error), "</a> exists already; choose another");
}

TEST(Explain, KeepsCodeAndDetailsWhenItIsSaidAnew) {
  const auto error = retold(about_a_pointer().with("line", 7), "there is one");
  EXPECT_EQ(error.message, "there is one");
  EXPECT_EQ(seen_from_elsewhere(error), "there is one");
  EXPECT_EQ(error.code, Code::kKeyExists);
  EXPECT_EQ(std::get<std::int64_t>(error.details.at("line")), 7);
}

TEST(Explain, CanBeExplainedMoreThanOnce) {
  const auto error = explained(explained(about_a_pointer(), "b"), "a");
  EXPECT_EQ(error.message, "a: b: '/a' exists already");
  EXPECT_EQ(seen_from_elsewhere(error), "a: b: </a> exists already");
}

}  // namespace
}  // namespace cairn
