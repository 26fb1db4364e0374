#include "data/json/lazy_schema.h"

#include <atomic>
#include <mutex>
#include <optional>

namespace cairn::json {

struct LazySchema::Compiled {
  std::once_flag once;
  std::optional<Result<Schema>> schema;
  std::atomic<std::uint64_t> checks = 0;
};

LazySchema::LazySchema() : compiled_(std::make_unique<Compiled>()) {}
LazySchema::LazySchema(LazySchema&&) noexcept = default;
LazySchema& LazySchema::operator=(LazySchema&&) noexcept = default;
LazySchema::~LazySchema() = default;

Result<void> LazySchema::check(const Value& source, const Value& instance) const {
  std::call_once(compiled_->once, [&] { compiled_->schema.emplace(Schema::compile(source)); });
  compiled_->checks.fetch_add(1, std::memory_order_relaxed);
  const auto& schema = *compiled_->schema;
  if (!schema) return fail(Code::kInternal, "a schema is wrong: {}", schema.error().message);
  return schema->check(instance);
}

std::uint64_t LazySchema::checks() const {
  return compiled_->checks.load(std::memory_order_relaxed);
}

}  // namespace cairn::json
