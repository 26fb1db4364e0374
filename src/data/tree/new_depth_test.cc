#include "data/tree/new_depth.h"

#include <gtest/gtest.h>

#include "data/tree/tree_testing.h"

namespace cairn {
namespace {

using namespace tree_testing;

// Directories in one another, around what is given.
NodePtr nested(Stage& stage, std::size_t depth, NodePtr inner) {
  for (std::size_t i = 0; i < depth; ++i) {
    const DictEdit edit{"d", EntryValue{.kind = Kind::kDict,
                                        .key = inner->key(),
                                        .bytes = inner->totals().bytes,
                                        .type = {},
                                        .children = inner->totals().entries,
                                        .files = inner->totals().files}};
    inner = must(dict_apply(stage, empty_dict(), {&edit, 1}));
  }
  return inner;
}

TEST(NewDepth, IsAsDeepAsAPathCanName) {
  Trees t;
  const auto leaf = t.tree({{"f", "1"}});
  EXPECT_TRUE(check_new_depth(t.stage, empty_dict(), nested(t.stage, 512, leaf)));
  EXPECT_THAT(check_new_depth(t.stage, empty_dict(), nested(t.stage, 513, leaf)),
              FailsSaying(Code::kInvalidPath, "more than 512 deep"));
  EXPECT_THAT(check_new_depth(t.stage, empty_dict(), nested(t.stage, 5000, leaf)),
              FailsSaying(Code::kInvalidPath, "more than 512 deep"));
}

TEST(NewDepth, OfWhatWasThereBeforeNothingIsSaid) {
  Trees t;
  const auto deep = nested(t.stage, 600, t.tree({{"f", "1"}}));
  EXPECT_TRUE(check_new_depth(t.stage, deep, deep));
}

TEST(NewDepth, CountsWhereTheChangeIs) {
  Trees t;
  const auto before = nested(t.stage, 500, t.tree({{"f", "1"}}));
  EXPECT_TRUE(check_new_depth(t.stage, before,
                              nested(t.stage, 500, nested(t.stage, 12, t.tree({{"f", "1"}})))));
  EXPECT_THAT(check_new_depth(t.stage, before,
                              nested(t.stage, 500, nested(t.stage, 13, t.tree({{"f", "1"}})))),
              FailsSaying(Code::kInvalidPath, "more than 512 deep"));
}

}  // namespace
}  // namespace cairn
