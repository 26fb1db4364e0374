#include "exposure/cli/options.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/os/disk_files.h"
#include "base/os/os_error.h"
#include "base/os/secret_file.h"
#include "base/quote.h"

namespace cairn::cli {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Result<std::string> first_line(const std::string& file) {
  auto line = os::read_line(file);
  if (!line) {
    return fail(Code::kInvalidArgument, "cannot read the token from '{}': {}", shown(file),
                os::description(line.error()));
  }
  TRY(os::check_secret(file));
  if (line->starts_with('{')) {
    return fail(Code::kInvalidArgument,
                "in '{}' is a sign-in at a server and no token; name that server with --server",
                shown(file));
  }
  if (!line->empty()) return *std::move(line);
  return fail(Code::kInvalidArgument, "there is no token in the file '{}'", shown(file));
}

struct Unit {
  std::string_view name;
  std::int64_t factor;
};

// A number with an optional unit, as a multiple of the smallest.
std::optional<double> measure(std::string_view text, std::span<const Unit> units) {
  double number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !(number >= 0)) return std::nullopt;
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  for (const auto& known : units) {
    const auto product = number * static_cast<double>(known.factor);
    if (known.name == unit) return product < 9e18 ? std::optional(product) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

std::filesystem::path data_directory(const Options& options) {
  if (!options.data.empty()) return options.data;
  if (auto data = environment("CAIRN_DATA"); !data.empty()) return data;
  if (auto home = environment("XDG_DATA_HOME"); !home.empty()) {
    return std::filesystem::path(home) / "cairn";
  }
  auto home = environment("HOME");
  return std::filesystem::path(home.empty() ? "." : home) / ".local/share/cairn";
}

Result<std::optional<std::string>> given_token_file(const Options& options) {
  if (!options.token_file.empty()) return options.token_file;
  if (!options.token.empty()) return std::nullopt;
  if (!environment("CAIRN_REFRESH_TOKEN").empty()) {
    return fail(Code::kInvalidArgument,
                "CAIRN_REFRESH_TOKEN is set, but a refresh token is good for one use, so one in "
                "the environment soon is worthless; unset it. Sign in with 'cairn login', which "
                "renews by itself, or set CAIRN_TOKEN to a key that lasts ('cairn delegate create "
                "--key')");
  }
  auto file = environment("CAIRN_TOKEN_FILE");
  if (file.empty()) return std::nullopt;
  if (environment("CAIRN_TOKEN").empty()) return file;
  return fail(Code::kInvalidArgument,
              "CAIRN_TOKEN and CAIRN_TOKEN_FILE are both set; unset one of them");
}

Result<std::optional<std::string>> given_token(const Options& options) {
  if (const auto file = TRY(given_token_file(options))) return first_line(*file);
  if (!options.token.empty()) return options.token;
  auto token = environment("CAIRN_TOKEN");
  if (token.empty()) return std::nullopt;
  return token;
}

Result<std::string> named_server(const Options& options) {
  if (!options.server.empty() && !options.data.empty()) {
    return fail(Code::kInvalidArgument, "give --server or --data, not both");
  }
  if (!options.server.empty() || !options.data.empty()) return options.server;
  return environment("CAIRN_SERVER");
}

Result<std::chrono::seconds> parse_duration(std::string_view text) {
  static constexpr Unit kUnits[] = {{"", 1},     {"s", 1},      {"m", 60},
                                    {"h", 3600}, {"d", 86'400}, {"w", 7 * 86'400}};
  if (auto seconds = measure(text, kUnits)) {
    return std::chrono::seconds(static_cast<std::int64_t>(*seconds));
  }
  return fail(Code::kInvalidArgument, "'{}' is not a time span; write seconds, or 15m, 1h, 7d",
              shown(text));
}

Result<std::int64_t> parse_size(std::string_view text) {
  static constexpr Unit kUnits[] = {{"", 1},
                                    {"B", 1},
                                    {"k", 1000},
                                    {"K", 1000},
                                    {"kB", 1000},
                                    {"KB", 1000},
                                    {"KiB", 1024},
                                    {"M", 1'000'000},
                                    {"MB", 1'000'000},
                                    {"MiB", 1LL << 20},
                                    {"G", 1'000'000'000},
                                    {"GB", 1'000'000'000},
                                    {"GiB", 1LL << 30},
                                    {"T", 1'000'000'000'000},
                                    {"TB", 1'000'000'000'000},
                                    {"TiB", 1LL << 40}};
  if (auto bytes = measure(text, kUnits)) return static_cast<std::int64_t>(*bytes);
  return fail(Code::kInvalidArgument, "'{}' is not a size; write bytes, or 500MB, 2GiB",
              shown(text));
}

Result<MemoryBudget> memory_budget(std::string_view given, MemoryFor what, std::size_t available) {
  const auto variable = given.empty() ? environment("CAIRN_MEMORY") : std::string();
  const auto text = given.empty() ? std::string_view(variable) : given;
  if (text.empty()) {
    return what == MemoryFor::kServer ? MemoryBudget::usual(available)
                                      : MemoryBudget::of_a_command(available);
  }
  const auto* const name = given.empty() ? "CAIRN_MEMORY" : "--memory";
  const auto refused = [&](std::string_view why) {
    return fail(Code::kInvalidArgument, "{}: {}", name, why);
  };
  const auto bytes = parse_size(text);
  if (!bytes) return refused(bytes.error().message);
  if (std::cmp_greater(*bytes, available)) {
    return refused(fmt::format("{} is more than the {} bytes that this process may have",
                               shown(text), available));
  }
  auto budget = MemoryBudget::of(static_cast<std::size_t>(*bytes));
  if (!budget) return refused(budget.error().message);
  return *budget;
}

}  // namespace cairn::cli
