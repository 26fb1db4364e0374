#include "data/json/lazy_schema.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace cairn::json {
namespace {

const Value kWholeNumber(Object{{"type", "integer"}});

TEST(LazySchema, ChecksAsTheSchemaDoes) {
  const LazySchema schema;
  EXPECT_TRUE(schema.check(kWholeNumber, Value(1)));
  auto refused = schema.check(kWholeNumber, Value("one"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kInvalidArgument);
}

TEST(LazySchema, SaysEachTimeThatItsSourceIsWrong) {
  const LazySchema schema;
  const Value wrong(Object{{"type", "whole"}});
  for (int i = 0; i < 2; ++i) {
    auto checked = schema.check(wrong, Value(1));
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().code, Code::kInternal);
  }
}

TEST(LazySchema, IsCompiledOnceByManyThreads) {
  const LazySchema schema;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] { EXPECT_TRUE(schema.check(kWholeNumber, Value(1))); });
  }
}

}  // namespace
}  // namespace cairn::json
