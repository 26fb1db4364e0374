#include "exposure/client/node_sources.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "data/cas/content_type.h"
#include "data/cas/dict.h"
#include "data/cas/file.h"
#include "exposure/client/local_tree.h"
#include "exposure/http/client.h"

namespace cairn::client {
namespace {

// Keeps what is wanted of all that is made.
class WantedNodes final : public NodeSink {
 public:
  explicit WantedNodes(std::span<const NodeKey> wanted) : wanted_(wanted.begin(), wanted.end()) {}

  Result<void> add(NodePtr node) override {
    if (wanted_.erase(node->key()) > 0) found_.push_back(std::move(node));
    return {};
  }
  std::vector<NodePtr> take() { return std::move(found_); }

 private:
  std::set<NodeKey> wanted_;
  std::vector<NodePtr> found_;
};

class NoNodes final : public NodeReader {
 public:
  Result<NodePtr> get(const NodeKey& key) const override {
    return fail(Code::kNodeNotFound, "the node {} is not here", key.render());
  }
};

class DirectoryNodes final : public NodeSource {
 public:
  explicit DirectoryNodes(std::filesystem::path directory) : directory_(std::move(directory)) {}

  Result<std::vector<NodePtr>> find(std::span<const NodeKey> wanted) override {
    const auto tree = TRY(scan(directory_));
    WantedNodes sink(wanted);
    // What is in a directory stands behind it.
    std::map<std::string, std::vector<DictEdit>> open;
    open[""];
    for (auto at = tree.entries.rbegin(); at != tree.entries.rend(); ++at) {
      const auto& [path, kind] = *at;
      const auto slash = path.rfind('/');
      const auto parent = slash == std::string::npos ? "" : path.substr(0, slash);
      auto name = path.substr(slash == std::string::npos ? 0 : slash + 1);
      const auto node = kind == EntryKind::kDirectory ? make(take(open, path), sink)
                                                      : read(directory_ / path, name, sink);
      if (!node) continue;
      auto value = EntryValue::of(entry_for(name, **node));
      open[parent].push_back({std::move(name), std::move(value)});
    }
    TRY(make(take(open, ""), sink));
    return sink.take();
  }

 private:
  using Open = std::map<std::string, std::vector<DictEdit>>;

  static std::vector<DictEdit> take(Open& open, const std::string& path) {
    const auto found = open.extract(path);
    return found ? std::move(found.mapped()) : std::vector<DictEdit>();
  }

  static Result<NodePtr> make(std::vector<DictEdit> edits, WantedNodes& sink) {
    std::ranges::sort(edits, {}, &DictEdit::name);
    const NoNodes nothing;
    Stage stage(nothing);
    auto root = TRY(dict_apply(stage, empty_dict(), edits));
    for (auto& node : stage.reachable(root->key())) TRY(sink.add(std::move(node)));
    return root;
  }

  static Result<NodePtr> read(const std::filesystem::path& file, const std::string& name,
                              WantedNodes& sink) {
    constexpr std::size_t kPortion = std::size_t{256} * 1024;
    const auto source = TRY(open_source(file));
    FileWriter writer(sink);
    Bytes room(kPortion, '\0');
    Bytes sample;
    while (const auto filled = TRY(source(room))) {
      const auto portion = ByteView(room).substr(0, filled);
      if (sample.size() < kContentTypeSample) {
        sample += portion.substr(0, kContentTypeSample - sample.size());
      }
      TRY(writer.append(portion));
    }
    return writer.finish(content_type(name, sample));
  }

  std::filesystem::path directory_;
};

class ServerNodes final : public NodeSource {
 public:
  ServerNodes(http::Url url, const RemoteOptions& options)
      : client_(std::move(url), {.ca_file = options.ca_file}),
        authorization_("Bearer " + options.token) {}

  Result<std::vector<NodePtr>> find(std::span<const NodeKey> wanted) override {
    std::vector<NodePtr> out;
    for (const auto& key : wanted) {
      auto answer = TRY(client_.send({.target = "/api/realm/me/nodes/raw/" + key.render(),
                                      .headers = {{"Authorization", authorization_}}}));
      if (answer.status == 401 || answer.status == 403) return refused(answer.status);
      // What is damaged or missing there is not there.
      if (answer.status != 200 || NodeKey::of(answer.body) != key) continue;
      if (auto node = Node::decode(std::move(answer.body), key)) out.push_back(*std::move(node));
    }
    return out;
  }

 private:
  static Failure refused(int status) {
    return fail(Code::kInvalidToken,
                "the server to heal from answered {}; give an owner's token for it with --token, "
                "--token-file or CAIRN_TOKEN",
                status);
  }

  http::Client client_;
  std::string authorization_;
};

}  // namespace

std::unique_ptr<NodeSource> nodes_in_directory(std::filesystem::path directory) {
  return std::make_unique<DirectoryNodes>(std::move(directory));
}

Result<std::unique_ptr<NodeSource>> nodes_at_server(const RemoteOptions& options) {
  return std::make_unique<ServerNodes>(TRY(http::Url::parse(options.url)), options);
}

}  // namespace cairn::client
