#include "tools/json/json_context.h"

#include <algorithm>
#include <array>

#include "base/explain.h"
#include "base/quote.h"
#include "data/json/document/cut.h"
#include "data/json/document/find.h"
#include "data/tree/change.h"
#include "tools/depots/on_newest.h"
#include "tools/files/known.h"
#include "tools/json/documents.h"
#include "tools/json/seen_values.h"

namespace cairn::json_context {

Failure no_data() {
  return fail(Code::kNotFound,
              "the data that this tool works on is not there now; whoever made the tool can tell");
}

namespace {

// Around the value in an answer: names, hints, what was left out.
constexpr std::int64_t kAround = 4000;

Result<json::Pointer> pointer_of(const Arguments& arguments, std::string_view name) {
  auto pointer = json::Pointer::parse(arguments.text(name));
  if (pointer) return pointer;
  return Failure(explained(std::move(pointer).error(),
                           fmt::format("'{}' is {}", name, shown(arguments.text(name)))));
}

// A result on the way to the data of a call. Through a bound tool its failure is reported without
// details: they would show outsiders where the data lies.
template <typename T>
Result<T> reached(const Call& call, Result<T> found) {
  if (found || call.context() == nullptr) return found;
  return no_data();
}

// The document and the place in it: the context of the tool, or what the arguments name.
Result<Path> path_of(const Call& call, const Arguments& arguments) {
  if (const auto* context = call.context()) return context->path;
  return fs::path_of(arguments);
}

Result<json::Pointer> base_pointer(const Call& call, const Arguments& arguments) {
  if (const auto* context = call.context()) return context->pointer;
  return pointer_of(arguments, "jsonPath");
}

Result<TreeView> tree_of_context(Call& call) {
  const auto* context = call.context();
  const auto root = TRY(call.realm().root_at(TRY(call.rights().place_at(context->depot))));
  return view_tree(call.realm().nodes(), root);
}

Result<Place> place_of(Call& call, const Arguments& arguments) {
  if (const auto* context = call.context()) return call.sight().place(context->depot);
  const auto address = arguments.text("depotId");
  if (address.starts_with("nod_")) {
    return fail(Code::kInvalidArgument,
                "{} is a node, which never changes; give the depot (dpt_…) to write to",
                shown(address));
  }
  return call.sight().place(address);
}

// The state that a write works on: the place as it is now.
struct Base {
  Place place;
  NodeKey root;
  TreeView tree;

  fs::Opened opened() const { return {Target{root, place}, tree}; }
};

Result<Base> base_at(Call& call, Place place) {
  const auto root = TRY(call.realm().root_at(place));
  return Base{std::move(place), root, TRY(view_tree(call.realm().nodes(), root))};
}

// A document of a tree with its text.
struct Loaded {
  OpenDocument open;
  std::string text;

  document::Document view() const { return {*open.value, text}; }
};

Result<Loaded> load(Call& call, const TreeView& tree, const Path& path) {
  auto open = TRY(call.services().documents.open(tree, path));
  auto text = TRY(call.services().documents.text(tree, open));
  return Loaded{std::move(open), std::move(text)};
}

struct NewText {
  const Loaded* document = nullptr;
  std::string text;
};

// All new texts in one commit. Nullopt when somebody else committed since the base was read.
Result<std::optional<CommitResult>> commit(Call& call, const Base& base,
                                           std::span<const NewText> texts,
                                           const std::string& message, bool dry_run) {
  Stage stage(call.realm().nodes());
  auto root = base.tree.root;
  std::vector<NodeKey> linked;
  std::vector<NodeKey> files;
  for (const auto& [loaded, text] : texts) {
    if (text.size() > Documents::kMaxBytes) {
      return fail(Code::kFileTooLarge, "{} would have {} bytes; a JSON document may have up to {}",
                  file_in_message(loaded->open.path), text.size(), Documents::kMaxBytes);
    }
    auto written = TRY(write(stage, root, loaded->open.path, text, loaded->open.type));
    root = written.root;
    std::ranges::move(written.linked, std::back_inserter(linked));
    files.push_back(written.file.key);
  }
  CommitRequest request{.depot = base.place.depot,
                        .root = root->key(),
                        .expected_root = base.root,
                        .made_on = base.root,
                        .message = message,
                        .force = false,
                        .author = call.session().answers_for(),
                        .place = base.place.path,
                        // Not merged: the answer describes the document as this change made it.
                        // Instead the change is made again on the newest state.
                        .exact = true,
                        .owners = call.session().owners,
                        .also_owned = std::move(files),
                        .dry_run = dry_run};
  const auto opened = base.opened();
  const auto known = TRY(fs::Known::of(call, opened));
  std::vector<Path> seen;
  for (const auto& one : texts) {
    const auto& path = one.document->open.path;
    if (TRY(known.is_seen(path))) seen.push_back(path);
  }
  auto done = call.realm().commit(request, stage, linked);
  if (done && !dry_run) {
    // Who knew all of a document knows all of it now.
    for (const auto& path : seen) known.committed(path, done->root);
  }
  if (done) return std::move(*done);
  if (done.error().code == Code::kPreconditionFailed) return std::nullopt;
  return Failure(std::move(done).error());
}

// The document of a call on the newest state of its depot, with the value at its pointer there.
Result<Loaded> load_context(Call& call, const Base& base, const Path& path,
                            const json::Pointer& pointer) {
  auto loaded = TRY(reached(call, load(call, base.tree, path)));
  if (call.context() != nullptr) {
    TRY(reached(call, document::resolve(*loaded.open.value, pointer)));
  }
  return loaded;
}

// Tries on the newest state until nobody else was faster.
template <typename Attempt>
Result<Reply> change_on_newest(Call& call, const Arguments& arguments, Attempt attempt) {
  return on_newest(call, [&]() -> Result<std::optional<Reply>> {
    auto place = TRY(reached(call, place_of(call, arguments)));
    // Changes of one depot take turns within this process, so that few of them are made in vain.
    const auto turn = call.services().documents.turn(place.depot).take(call.limits().time);
    if (!turn) return std::nullopt;
    return attempt(TRY(reached(call, base_at(call, std::move(place)))));
  });
}

std::string message_of(std::string_view about, const OpenDocument& document,
                       const json::Pointer& pointer) {
  const auto json_path = pointer.render();
  auto out = fmt::format("{} {}{}{}", about, document.path.render(), json_path.empty() ? "" : "#",
                         json_path);
  if (out.size() > Realm::kMaxMessageBytes) out = shown(out, Realm::kMaxMessageBytes - 10);
  return out;
}

// Of a dry run the root is the one that stands: the new one was not stored.
Reply answer(const CommitResult& commit, const Base& base, json::Object summary, bool dry_run) {
  summary["root"] = (dry_run ? base.root : commit.root).render();
  if (dry_run) summary["dryRun"] = true;
  return Reply(std::move(summary));
}

}  // namespace

json::Value input(std::vector<shape::Field> own) {
  std::vector<shape::Field> fields{
      {"depotId", shape::text("Depot (dpt_…); to read also a node (nod_…)", 5000)},
      fs::path("The JSON file, e.g. 'data/orders.json'"),
      {"jsonPath", shape::text("JSON pointer into it, e.g. '/orders'; default: all of it", 5000),
       shape::kOptional}};
  std::ranges::move(own, std::back_inserter(fields));
  return shape::object(std::move(fields));
}

json::Value change_input(std::vector<shape::Field> own) {
  own.push_back({"dryRun", shape::flag("Only say what would happen"), shape::kOptional});
  return input(std::move(own));
}

shape::Field max_bytes() {
  return {"maxBytes", shape::integer("Cut the answer to so many bytes", 100, 1 << 20),
          shape::kOptional};
}

Result<Opened> open(Call& call, const Arguments& arguments) {
  std::optional<fs::Opened> named;
  if (call.context() == nullptr) named.emplace(TRY(fs::open(call, arguments.text("depotId"))));
  const auto tree = named ? named->tree : TRY(reached(call, tree_of_context(call)));
  const auto path = TRY(path_of(call, arguments));
  auto pointer = TRY(base_pointer(call, arguments));
  Opened out{TRY(reached(call, call.services().documents.open(tree, path))), nullptr,
             std::move(pointer), std::move(named)};
  out.value = TRY(reached(call, document::resolve(*out.document.value, out.pointer)));
  return out;
}

Result<void> note_shown(Call& call, const Opened& opened, const json::Value& value, Shown shown) {
  if (!opened.named) return {};
  const auto known = TRY(fs::Known::of(call, *opened.named));
  if (!known.remembers()) return {};
  const auto& path = opened.document.path;
  if (shown == Shown::kSome) {
    known.shown(path, fingerprints(value));
  } else if (opened.pointer.tokens().empty()) {
    known.read_whole(path);
  } else {
    known.shown(path, fingerprints_at(opened.pointer, value));
  }
  return {};
}

void add_cut(const Call& call, const Arguments& arguments, json::Object& answer,
             std::string_view name, const json::Value& value) {
  const auto most = call.limits().bytes - kAround;
  // Those who come through an endpoint's REST are agents too: more is for who asks for more.
  const bool person = call.entrance() == Entrance::kCli;
  const auto asked = arguments.number("maxBytes", person ? most : Call::kAnswerBytes - kAround);
  auto cut =
      document::cut(value, static_cast<std::size_t>(std::clamp<std::int64_t>(asked, 64, most)));
  answer[name] = std::move(cut.value);
  answer["truncated"] = cut.truncated;
  if (!cut.truncated) return;
  answer["leftOut"] = std::move(cut.left_out);
  if (cut.more_left_out > 0) answer["moreLeftOut"] = cut.more_left_out;
  answer["hint"] =
      "the value is larger than an answer; narrow it: query with an expression such as "
      "'[0:20].{id: id}', or preview some elements with keys";
}

json::Value cut_shape(std::vector<shape::Field> fields) {
  fields.push_back({"truncated", shape::flag("A part was left out")});
  fields.push_back(
      {"leftOut", shape::map_of(shape::text(), "Where, and how much is shown"), shape::kOptional});
  fields.push_back({"moreLeftOut", shape::integer(), shape::kOptional});
  fields.push_back({"hint", shape::text("How to get the rest"), shape::kOptional});
  return shape::object(std::move(fields));
}

Result<Reply> change(Call& call, const Arguments& arguments, std::string_view about,
                     const Change& change, const Touched& touched, const json::Value* written) {
  const auto path = TRY(path_of(call, arguments));
  const auto pointer = TRY(base_pointer(call, arguments));
  const bool dry_run = arguments.flag("dryRun");
  return change_on_newest(call, arguments, [&](const Base& base) -> Result<std::optional<Reply>> {
    const auto loaded = TRY(load_context(call, base, path, pointer));
    auto changed = TRY(change(loaded.view(), pointer));
    const auto opened = base.opened();
    const auto known = TRY(fs::Known::of(call, opened));
    if (touched) TRY(check_seen(call, known, loaded.open, pointer, touched));
    const NewText text{&loaded, std::move(changed.text)};
    auto done =
        TRY(commit(call, base, {&text, 1}, message_of(about, loaded.open, pointer), dry_run));
    if (!done) return std::nullopt;
    if (written != nullptr && !dry_run)
      TRY(note_written(known, loaded.open.path, pointer, *written));
    return answer(*done, base, std::move(changed.summary), dry_run);
  });
}

namespace {

// A pointer below another.
json::Pointer below(json::Pointer outer, const json::Pointer& inner) {
  for (const auto& token : inner.tokens()) outer = outer.child(token);
  return outer;
}

// Pointers in an answer are given as the caller gives them: from the context on.
std::string from_context(const json::Value& pointer, const json::Pointer& context) {
  std::string text(json::text(pointer));
  const auto prefix = context.render();
  return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

// One answer for a file that is not there, is none, or is not JSON.
Failure no_target(const Path& path, const Error& error) {
  switch (error.code) {
    case Code::kPathNotFound:
    case Code::kNotADirectory:
    case Code::kNotAFile:
    case Code::kNotText:
    case Code::kInvalidJson:
    case Code::kFileTooLarge:
      return fail(Code::kPathNotFound, "toPath '{}' is no JSON file that this tool can write to",
                  shown(path.render(), 200));
    default:
      return Failure(error);
  }
}

}  // namespace

Result<Reply> transfer(Call& call, const Arguments& arguments, bool move) {
  const auto path = TRY(path_of(call, arguments));
  const auto context = TRY(base_pointer(call, arguments));
  const auto from = below(context, TRY(pointer_of(arguments, "from")));
  const auto target = TRY(pointer_of(arguments, "to"));
  // The value of the context cannot be replaced or moved away: it stands outside of what it holds.
  if (target.tokens().empty() || (move && from == context)) {
    return fail(Code::kInvalidArgument, "'{}' names the whole value; name something in it, '/key'",
                target.tokens().empty() ? "to" : "from");
  }
  const auto about = move ? "json_move" : "json_copy";
  const auto to_path =
      arguments.has("toPath") ? std::optional(TRY(fs::path_of(arguments, "toPath"))) : std::nullopt;
  const bool dry_run = arguments.flag("dryRun");
  return change_on_newest(call, arguments, [&](const Base& base) -> Result<std::optional<Reply>> {
    const auto source = TRY(load_context(call, base, path, context));
    TRY(document::resolve(*source.open.value, context));
    const auto message = message_of(about, source.open, from);
    auto finish = [&](std::span<const NewText> texts,
                      json::Object summary) -> Result<std::optional<Reply>> {
      auto done = TRY(commit(call, base, texts, message, dry_run));
      if (!done) return std::nullopt;
      return answer(*done, base, std::move(summary), dry_run);
    };
    std::optional<Loaded> other;
    if (to_path) {
      auto loaded = load(call, base.tree, *to_path);
      // Who was given one context is not told what else is there, nor what is in it.
      if (!loaded && call.context() != nullptr) return no_target(*to_path, loaded.error());
      other = TRY(std::move(loaded));
    }
    // Within one file both ends are edits of one text; as two texts one would undo the other.
    if (!other || other->open.path == source.open.path) {
      // By its own name the file is not wider than the context.
      const bool inside = !other || call.context() != nullptr;
      const auto to = inside ? below(context, target) : target;
      auto changed = TRY(move ? document::move(source.view(), from, to)
                              : document::copy(source.view(), from, to));
      changed.summary["from"] = from_context(changed.summary["from"], context);
      if (inside) changed.summary["to"] = from_context(changed.summary["to"], context);
      const NewText text{&source, std::move(changed.text)};
      return finish({&text, 1}, std::move(changed.summary));
    }
    if (!move) {
      auto changed = TRY(document::copy_between(source.view(), from, other->view(), target));
      changed.summary["from"] = from_context(changed.summary["from"], context);
      const NewText text{&*other, std::move(changed.text)};
      return finish({&text, 1}, std::move(changed.summary));
    }
    auto moved = TRY(document::move_between(source.view(), from, other->view(), target));
    moved.summary["from"] = from_context(moved.summary["from"], context);
    const std::array texts{NewText{&source, std::move(moved.source)},
                           NewText{&*other, std::move(moved.target)}};
    return finish(texts, std::move(moved.summary));
  });
}

json::Value changed_shape(std::vector<shape::Field> fields) {
  fields.push_back({"root", shape::text("The depot's root with the change committed")});
  fields.push_back({"dryRun", shape::flag("Nothing was changed"), shape::kOptional});
  return shape::object(std::move(fields));
}

}  // namespace cairn::json_context
