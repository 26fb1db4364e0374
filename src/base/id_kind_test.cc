#include "base/id_kind.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/id.h"

namespace cairn {
namespace {

using testing::HasSubstr;

TEST(IdKind, IsToldByThePrefix) {
  EXPECT_EQ(kind_of_id("nod_X"), "node key");
  EXPECT_EQ(kind_of_id("dpt_X"), "depot id");
  EXPECT_EQ(kind_of_id("aei_X"), "endpoint id");
  EXPECT_EQ(kind_of_id("my-depot"), "");
  EXPECT_EQ(kind_of_id(""), "");
}

TEST(IdKind, AWrongOneIsNamedTogetherWithWhatIsWanted) {
  const auto depot = wrong_id("dpt_01ARZ3NDEKTSV4RRFFQ69G5FAV", "a node key (nod_…)").error();
  EXPECT_EQ(depot.code, Code::kInvalidKey);
  EXPECT_EQ(depot.message,
            "'dpt_01ARZ3NDEKTSV4RRFFQ69G5FAV' is a depot id; a node key (nod_…) is wanted");
  EXPECT_EQ(wrong_id("aei_1", "a tool id (adi_…)").error().message,
            "'aei_1' is an endpoint id; a tool id (adi_…) is wanted");
  EXPECT_EQ(wrong_id("main", "a node key (nod_…)").error().message,
            "'main' is not a node key (nod_…)");
}

TEST(IdKind, EveryIdSaysWhichKindItWasGiven) {
  EXPECT_THAT(DepotId::parse("nod_01ARZ3NDEKTSV4RRFFQ69G5FAV").error().message,
              HasSubstr("is a node key; a depot id (dpt_…) is wanted"));
  EXPECT_THAT(ToolId::parse("bnd_01ARZ3NDEKTSV4RRFFQ69G5FAV").error().message,
              HasSubstr("is a binding id; a tool id (adi_…) is wanted"));
}

}  // namespace
}  // namespace cairn
