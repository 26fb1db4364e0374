#include "data/text/pattern_accelerator.h"

#ifdef CAIRN_HAVE_HYPERSCAN

#include <hs.h>

namespace cairn {
namespace {

hs_database_t* compile_database(const char* expression) {
  hs_database_t* database = nullptr;
  hs_compile_error_t* error = nullptr;
  if (hs_compile(expression, HS_FLAG_MULTILINE, HS_MODE_BLOCK, nullptr, &database, &error) ==
      HS_SUCCESS) {
    return database;
  }
  hs_free_compile_error(error);
  return nullptr;
}

}  // namespace

// Vectorscan 5.4.9 loses matches that hang on a literal of one byte, at places that depend on the
// text's length and alignment. This looks for one match at many such places.
bool Accelerator::finds_all(const char* expression, ByteView match) {
  constexpr std::size_t kLongest = 200;
  auto* const database = compile_database(expression);
  if (database == nullptr) return false;
  const Accelerator accelerator(database);
  Scratch scratch;
  for (std::size_t size = match.size(); size < kLongest; ++size) {
    for (std::size_t back = 0; back < 64 && match.size() + back <= size; back += 3) {
      std::string text(size, ' ');
      text.replace(size - match.size() - back, match.size(), match);
      bool found = false;
      const auto on_end = [](void* context, std::size_t) {
        *static_cast<bool*>(context) = true;
        return false;
      };
      if (!accelerator.scan(text, scratch, on_end, &found) || !found) return false;
    }
  }
  return true;
}

bool Accelerator::available() {
  static const bool works = hs_valid_platform() == HS_SUCCESS && finds_all("a[^\\n]*b", "a b") &&
                            finds_all("\\x2e[a-z]?", ".") && finds_all("-\\x0d?$", "-\n") &&
                            finds_all("[a-z]+_t\\b", "x_t");
  return works;
}

std::unique_ptr<const Accelerator> Accelerator::compile(const std::string& expression) {
  if (!available()) return nullptr;
  auto* const database = compile_database(expression.c_str());
  return std::unique_ptr<const Accelerator>(database == nullptr ? nullptr
                                                                : new Accelerator(database));
}

Accelerator::~Accelerator() { hs_free_database(database_); }

Accelerator::Scratch::~Scratch() { hs_free_scratch(memory_); }

bool Accelerator::scan(ByteView text, Scratch& scratch,
                       bool (*found)(void* context, std::size_t end), void* context) const {
  struct Call {
    bool (*found)(void*, std::size_t);
    void* context;
  };
  if (scratch.memory_ == nullptr && hs_alloc_scratch(database_, &scratch.memory_) != HS_SUCCESS) {
    return false;
  }
  Call call{found, context};
  const auto on_match = [](unsigned, unsigned long long, unsigned long long to, unsigned,
                           void* opaque) -> int {
    const auto& self = *static_cast<const Call*>(opaque);
    return self.found(self.context, to) ? 0 : 1;
  };
  const auto status = hs_scan(database_, text.data(), static_cast<unsigned>(text.size()), 0,
                              scratch.memory_, on_match, &call);
  return status == HS_SUCCESS || status == HS_SCAN_TERMINATED;
}

}  // namespace cairn

#else

namespace cairn {

bool Accelerator::available() { return false; }

std::unique_ptr<const Accelerator> Accelerator::compile(const std::string&) { return nullptr; }

Accelerator::~Accelerator() = default;

Accelerator::Scratch::~Scratch() = default;

bool Accelerator::scan(ByteView, Scratch&, bool (*)(void*, std::size_t), void*) const {
  return false;
}

}  // namespace cairn

#endif
