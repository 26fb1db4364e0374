// put_node and get_node: nodes as they are stored, and what has to be true of them.
#include "tools/tools_testing.h"

namespace cairn {
namespace {

using tools_testing::Says;
using tools_testing::text;

class PutNodeTest : public tools_testing::ToolTest {
 protected:
  // A node of the depot by child indices: its key and bytes.
  NodePtr node(std::string_view navigation, std::string_view of = {}) {
    auto reply = executor().run(
        owner_, "get_node",
        json::Object{{"nodeKey", of.empty() ? depot_ : of}, {"navigation", navigation}});
    EXPECT_TRUE(reply) << (reply ? "" : reply.error().render());
    return reply ? reply->node : nullptr;
  }
  json::Object put_bytes(const Caller& caller, const Node& node) {
    return call(caller, "put_node", {{"key", node.key().render()}}, node.bytes());
  }
  Error refuses(const Caller& caller, const NodeKey& key, ByteView bytes) {
    return refused(caller, "put_node", {{"key", key.render()}}, bytes);
  }
};

TEST_F(PutNodeTest, ATreeIsTakenNodeByNodeChildrenFirst) {
  put("a.txt", "1");
  const auto file = node("~0");
  const auto tree = node("");
  const auto other = another_user("carol");
  const auto early = refuses(other, tree->key(), tree->bytes());
  EXPECT_THAT(early.message, testing::HasSubstr(file->key().render()));
  EXPECT_EQ(text(put_bytes(other, *file), "kind"), "file");
  EXPECT_EQ(text(put_bytes(other, *tree), "kind"), "dict");
  const auto read = call(other, "fs_read", {{"nodeKey", tree->key().render()}, {"path", "a.txt"}});
  EXPECT_EQ(text(read, "content"), "1");
}

TEST_F(PutNodeTest, BytesThatDoNotHaveTheKeyAreRefused) {
  put_all({{"a", "1"}, {"b", "2"}});
  EXPECT_EQ(refuses(owner_, node("~0")->key(), node("~1")->bytes()).code, Code::kHashMismatch);
}

TEST_F(PutNodeTest, BytesThatAreNoNodeAreRefusedThoughTheirHashIsRight) {
  for (const std::string_view bytes : {"", "no node", "\x01\x02\x03"}) {
    EXPECT_EQ(refuses(owner_, NodeKey::of(bytes), bytes).code, Code::kInvalidNode) << bytes;
  }
}

TEST_F(PutNodeTest, OnlyAWholeKeyNamesWhatIsStored) {
  put("a", "1");
  const auto file = node("~0");
  EXPECT_EQ(refused(owner_, "put_node", {{"key", file->key().render_short()}}, file->bytes()).code,
            Code::kInvalidKey);
}

TEST_F(PutNodeTest, ADelegateDoesNotGetAtWhatItMayNotSeeByNamingItInANodeOfItsOwn) {
  put_all({{"docs/a", "1"}, {"src/secret", "2"}});
  const auto secret_tree = node("~1");
  const auto writer = writer_in("docs");
  EXPECT_THAT(refuses(writer, secret_tree->key(), secret_tree->bytes()),
              Says(Code::kNodeNotAuthorized, "upload it before its parent"));
  // Who has the content may store it itself.
  const auto secret = node("~1/~0");
  put_bytes(writer, *secret);
  put_bytes(writer, *secret_tree);
  EXPECT_EQ(
      text(call(writer, "fs_read", {{"nodeKey", secret_tree->key().render()}, {"path", "secret"}}),
           "content"),
      "2");
}

TEST_F(PutNodeTest, ADelegateGetsNoNodeItMayNotSee) {
  put_all({{"docs/a", "1"}, {"src/secret", "2"}});
  const auto secret = node("~1/~0")->key().render();
  const auto writer = writer_in("docs");
  EXPECT_THAT(refused(writer, "get_node", {{"nodeKey", secret}}),
              Says(Code::kNodeNotAuthorized, secret));
  EXPECT_EQ(refused(delegate({}), "put_node", {{"key", secret}}).code, Code::kUploadNotAllowed);
}

TEST_F(PutNodeTest, OneNavigatesByIndicesOnly) {
  put("d/a", "1");
  EXPECT_THAT(refused("get_node", {{"nodeKey", depot_}, {"navigation", "d/a"}}),
              Says(Code::kInvalidPath, "'d' is not a child index"));
  EXPECT_THAT(refused("get_node", {{"nodeKey", depot_}, {"navigation", "~5"}}).message,
              testing::HasSubstr("5"));
}

}  // namespace
}  // namespace cairn
