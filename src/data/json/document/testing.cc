#include "data/json/document/testing.h"

#include <cctype>

namespace cairn::document {
namespace {

using json::Value;

// Reads one character after the other; shares nothing with the scanner.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Spelled value() {
    space();
    if (text_[at_] == '"') return Spelled::of_scalar(string());
    if (text_[at_] == '[' || text_[at_] == '{') return container();
    Spelled out;
    while (at_ < text_.size() && !std::isspace(text_[at_]) && text_[at_] != ',' &&
           text_[at_] != ']' && text_[at_] != '}') {
      out.scalar += text_[at_++];
    }
    return out;
  }

 private:
  void space() {
    while (at_ < text_.size() && std::isspace(text_[at_])) ++at_;
  }

  std::string string() {
    std::string out(1, text_[at_++]);
    while (text_[at_] != '"') {
      if (text_[at_] == '\\') out += text_[at_++];
      out += text_[at_++];
    }
    return out + text_[at_++];
  }

  Spelled container() {
    auto out = Spelled::empty(text_[at_++]);
    for (space(); text_[at_] != ']' && text_[at_] != '}'; space()) {
      if (text_[at_] == ',') ++at_;
      space();
      std::string key;
      if (out.is_object()) {
        key = string();
        space();
        ++at_;
      }
      out.children.push_back({key, value()});
    }
    ++at_;
    return out;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::string spelled_key(std::mt19937_64& random, std::size_t i) {
  const std::string odd[] = {
      "\"k" + std::to_string(i) + "\"", "\"\\u006b" + std::to_string(i) + "\"",
      "\"key \\\"" + std::to_string(i) + "\\\\\"", "\"ü/~" + std::to_string(i) + "\""};
  return odd[below(random, 2) == 0 ? 0 : below(random, 4)];
}

// Puts white space between tokens.
class Layer {
 public:
  Layer(Whitespace whitespace, std::mt19937_64& random)
      : whitespace_(whitespace), random_(random) {}

  std::string run(const Spelled& document) {
    write(document);
    if (breaks()) out_ += newline();
    return std::move(out_);
  }

 private:
  void write(const Spelled& value) {
    out_ += value.scalar;
    if (value.open == 0) return;
    out_ += value.open;
    ++depth_;
    for (std::size_t i = 0; i < value.children.size(); ++i) {
      if (i > 0) out_ += ',';
      gap(i > 0, value.children[i].value.open != 0);
      if (value.is_object()) out_ += value.children[i].key + colon();
      write(value.children[i].value);
    }
    --depth_;
    const bool hugged = !value.children.empty() && value.children.back().value.open != 0;
    if (!value.children.empty()) gap(false, hugged);
    out_ += value.is_object() ? '}' : ']';
  }

  bool breaks() const {
    return whitespace_ != Whitespace::kCompact && whitespace_ != Whitespace::kSpaced;
  }
  std::string newline() const { return whitespace_ == Whitespace::kReturns ? "\r\n" : "\n"; }
  std::string colon() const { return whitespace_ == Whitespace::kCompact ? ":" : ": "; }

  std::string indented(std::string_view unit) const {
    auto out = newline();
    for (int i = 0; i < depth_; ++i) out += unit;
    return out;
  }

  void gap(bool after_comma, bool before_container) {
    switch (whitespace_) {
      case Whitespace::kCompact:
        return;
      case Whitespace::kSpaced:
        if (after_comma) out_ += ' ';
        return;
      case Whitespace::kTwo:
      case Whitespace::kReturns:
        out_ += indented("  ");
        return;
      case Whitespace::kFour:
        out_ += indented("    ");
        return;
      case Whitespace::kTabs:
        out_ += indented("\t");
        return;
      case Whitespace::kHugging:
        out_ += before_container ? (after_comma ? " " : "") : indented("  ");
        return;
      case Whitespace::kMixed:
        const std::string gaps[] = {"", " ", "\n", "\n\n   ", "\t", "\r\n  ", indented("  ")};
        out_ += gaps[below(random_, 7)];
        return;
    }
  }

  const Whitespace whitespace_;
  std::mt19937_64& random_;
  int depth_ = 0;
  std::string out_;
};

}  // namespace

std::size_t below(std::mt19937_64& random, std::size_t limit) { return random() % limit; }

Spelled Spelled::read(std::string_view text) { return Reader(text).value(); }

Spelled Spelled::of(const Value& value) { return read(json::write(value)); }

Spelled Spelled::of_scalar(std::string lexeme) {
  Spelled out;
  out.scalar = std::move(lexeme);
  return out;
}

Spelled Spelled::empty(char open) {
  Spelled out;
  out.open = open;
  return out;
}

std::string Spelled::write() const {
  if (open == 0) return scalar;
  std::string out(1, open);
  for (const auto& child : children) {
    if (out.size() > 1) out += ',';
    if (is_object()) out += child.key + ":";
    out += child.value.write();
  }
  return out + (is_object() ? '}' : ']');
}

std::optional<std::size_t> Spelled::find(std::string_view key) const {
  for (std::size_t i = 0; i < children.size(); ++i) {
    const bool found =
        is_object() ? json::text(*json::parse(children[i].key)) == key : std::to_string(i) == key;
    if (found) return i;
  }
  return std::nullopt;
}

Spelled* Spelled::at(const json::Pointer& pointer) {
  auto* value = this;
  for (const auto& token : pointer.tokens()) {
    const auto place = value->find(token);
    if (!place) return nullptr;
    value = &value->children[*place].value;
  }
  return value;
}

void merge(Spelled& target, const Value& patch) {
  const auto* object = patch.if_object();
  if (object == nullptr) {
    if (*json::parse(target.write()) != patch) target = Spelled::of(patch);
    return;
  }
  if (!target.is_object()) target = Spelled::empty('{');
  for (const auto& member : *object) {
    const auto place = target.find(member.key());
    if (member.value().is_null()) {
      if (place) target.children.erase(target.children.begin() + static_cast<int>(*place));
      continue;
    }
    if (place) {
      merge(target.children[*place].value, member.value());
      continue;
    }
    auto added = Spelled::of_scalar("null");
    merge(added, member.value());
    target.children.push_back({json::write(Value(member.key())), added});
  }
}

Spelled random_document(std::mt19937_64& random, int depth) {
  static const std::string scalars[] = {"1.50",
                                        "1e2",
                                        "12345678901234567890123",
                                        "-0.0",
                                        "0",
                                        "\"\\u0041\\/\"",
                                        "\"a\\\\\"",
                                        "\"[{,:\\\"}]\"",
                                        "\"ü😀\"",
                                        "\"\"",
                                        "true",
                                        "false",
                                        "null",
                                        "7"};
  if (depth == 0 || below(random, 3) == 0) return Spelled::of_scalar(scalars[below(random, 14)]);
  auto out = Spelled::empty(below(random, 2) == 0 ? '[' : '{');
  const auto count = below(random, 5);
  for (std::size_t i = 0; i < count; ++i) {
    auto key = out.is_object() ? spelled_key(random, i) : std::string();
    out.children.push_back({std::move(key), random_document(random, depth - 1)});
  }
  return out;
}

Value random_value(std::mt19937_64& random, int depth) {
  return *json::parse(random_document(random, depth).write());
}

std::string laid_out(const Spelled& document, Whitespace whitespace, std::mt19937_64& random) {
  return Layer(whitespace, random).run(document);
}

}  // namespace cairn::document
