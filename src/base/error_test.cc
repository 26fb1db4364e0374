#include "base/error.h"

#include <algorithm>
#include <memory>
#include <set>

#include <gtest/gtest.h>

#include "base/result.h"

namespace cairn {
namespace {

TEST(Codes, AreInTheTableInTheOrderOfTheEnumeration) {
  ASSERT_EQ(all_codes().size(), static_cast<std::size_t>(Code::kInternal) + 1);
  for (std::size_t i = 0; i < all_codes().size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(all_codes()[i].code), i) << all_codes()[i].name;
    EXPECT_EQ(&info(all_codes()[i].code), &all_codes()[i]);
  }
}

TEST(Codes, HaveUniqueNamesInCapitals) {
  std::set<std::string_view> names;
  for (const auto& row : all_codes()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.name.empty());
    EXPECT_TRUE(std::ranges::all_of(row.name, [](char c) {
      return (c >= 'A' && c <= 'Z') || c == '_';
    })) << row.name;
  }
}

TEST(Codes, HaveAStatusOfFailureOnEverySurface) {
  for (const auto& row : all_codes()) {
    EXPECT_GE(row.http_status, 400) << row.name;
    EXPECT_LT(row.http_status, 600) << row.name;
    EXPECT_GE(row.exit_code, 2) << row.name;
    EXPECT_LE(row.exit_code, 7) << row.name;
    // A missing thing is 404, and nothing else is.
    EXPECT_EQ(row.http_status == 404, row.exit_code == 3) << row.name;
  }
}

TEST(Error, RendersItsNameAndMessage) {
  EXPECT_EQ(Error(Code::kPathNotFound, "the path 'a/b' does not exist").render(),
            "PATH_NOT_FOUND: the path 'a/b' does not exist");
}

TEST(Error, CarriesDetails) {
  auto error = Error(Code::kConflict, "moved")
                   .with("currentRoot", "nod_1")
                   .with("paths", std::vector<std::string>{"a", "b"})
                   .with("currentRoot", "nod_2");
  EXPECT_EQ(error.details.size(), 2U);
  EXPECT_EQ(error.details.at("currentRoot"), Detail("nod_2"));
  EXPECT_EQ(std::get<std::vector<std::string>>(error.details.at("paths")).size(), 2U);
}

TEST(Error, SaysItsSubjectsAsSeenFromElsewhere) {
  const Subject pointer{Subject::Kind::kPointer, "/orders/3", "'/orders/3'"};
  const Subject path{Subject::Kind::kPath, "data.json", "'data.json'"};
  const auto error = fail(Code::kKeyExists, "{} of {} exists; {} more", pointer, path, 2).error();
  EXPECT_EQ(error.message, "'/orders/3' of 'data.json' exists; 2 more");
  const auto said = error.said([](const Subject& subject) {
    return subject.kind == Subject::Kind::kPath ? "the file" : subject.text.substr(7);
  });
  EXPECT_EQ(said, "/3 of the file exists; 2 more");
}

TEST(Error, KeepsSubjectsApartWhateverIsInThem) {
  std::string all;
  for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
  const auto error =
      Error(Code::kInternal, Subject{Subject::Kind::kPointer, all, "it"}.marked() + " is wrong");
  EXPECT_EQ(error.message, "it is wrong");
  EXPECT_EQ(error.said([](const Subject& subject) { return subject.text; }), all + " is wrong");
}

TEST(Error, WithoutSubjectsIsSaidAsItIs) {
  const auto error = Error(Code::kInternal, "a lone \x1f stays out, and nothing is lost: 100 %");
  EXPECT_EQ(error.said([](const Subject&) { return std::string("never"); }), error.message);
}

TEST(Result, IsMadeByFailWithAFormattedMessage) {
  Result<int> result = fail(Code::kInvalidPath, "'{}' has {} empty segments", "a//b", 1);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::kInvalidPath);
  EXPECT_EQ(result.error().message, "'a//b' has 1 empty segments");
}

Result<int> half(int number) {
  if (number % 2 != 0) return fail(Code::kInvalidArgument, "{} is odd", number);
  return number / 2;
}

Result<int> quarter(int number) {
  auto one = TRY(half(number));
  return TRY(half(one));
}

Result<void> check_even(int number) {
  TRY(half(number));
  return {};
}

Result<std::unique_ptr<int>> boxed(int number) {
  TRY(check_even(number));
  auto box = TRY(Result<std::unique_ptr<int>>(std::make_unique<int>(number)));
  return box;
}

TEST(Try, GivesTheValueOrReturnsTheError) {
  EXPECT_EQ(quarter(12).value(), 3);
  EXPECT_EQ(quarter(6).error().message, "3 is odd");
  EXPECT_EQ(quarter(5).error().message, "5 is odd");
}

struct Refusal {
  int why;
};

std::expected<int, Refusal> half_or_refusal(int number) {
  if (number % 2 != 0) return std::unexpected(Refusal{number});
  return number / 2;
}

std::expected<std::string, Refusal> told_half(int number) {
  return std::to_string(TRY(half_or_refusal(number)));
}

Result<int> nested_quarter(int number) { return TRY(half(TRY(half(number)))); }

TEST(Try, Nests) {
  EXPECT_EQ(nested_quarter(12).value(), 3);
  EXPECT_EQ(nested_quarter(6).error().message, "3 is odd");
}

TEST(Try, WorksOnVoidAndOnWhatCanOnlyBeMoved) {
  EXPECT_EQ(*boxed(2).value(), 2);
  EXPECT_EQ(boxed(1).error().code, Code::kInvalidArgument);
}

TEST(Try, WorksOnEveryKindOfError) {
  EXPECT_EQ(told_half(4).value(), "2");
  EXPECT_EQ(told_half(5).error().why, 5);
}

}  // namespace
}  // namespace cairn
