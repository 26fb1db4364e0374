#include "exposure/cli/mirror_report.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "base/quote.h"

namespace cairn::cli {
namespace {

constexpr std::size_t kShownPath = 4096;

std::string_view side_name(mirror::MirrorSide side) {
  return side == mirror::MirrorSide::kDirectory ? "directory" : "depot";
}

// A directory is said only when nothing below it is.
std::vector<mirror::MirrorStep> worth_saying(std::vector<mirror::MirrorStep> steps) {
  std::ranges::sort(steps, [](const mirror::MirrorStep& a, const mirror::MirrorStep& b) {
    return a.path != b.path ? a.path < b.path : a.remove > b.remove;
  });
  std::vector<mirror::MirrorStep> out;
  for (const auto& step : steps) {
    const auto holds = [&](const mirror::MirrorStep& more) {
      return more.to == step.to && more.remove == step.remove &&
             more.path.starts_with(step.path + "/");
    };
    const bool is_directory = step.kind == client::EntryKind::kDirectory;
    const auto next =
        std::ranges::lower_bound(steps, step.path + "/", std::less<>(), &mirror::MirrorStep::path);
    const auto end =
        std::ranges::lower_bound(steps, step.path + "0", std::less<>(), &mirror::MirrorStep::path);
    if (!is_directory || std::none_of(next, end, holds)) out.push_back(step);
  }
  return out;
}

std::string text_of(const mirror::MirrorStep& step) {
  return fmt::format("{} {}{}{}", step.to == mirror::MirrorSide::kDepot ? "->" : "<-",
                     shown(step.path, kShownPath),
                     step.kind == client::EntryKind::kDirectory ? "/" : "",
                     step.remove ? " (deleted)" : "");
}

std::string text_of(std::string_view how, const mirror::MirrorReport::Line& line) {
  return fmt::format("-- {} ({}: {})", shown(line.path, kShownPath), how, shown(line.why, 1000));
}

json::Array render(const std::vector<mirror::MirrorReport::Line>& lines) {
  json::Array out;
  for (const auto& line : lines) {
    out.emplace_back(
        json::Object{{"path", shown(line.path, kShownPath)}, {"why", shown(line.why, 1000)}});
  }
  return out;
}

json::Array render_steps(const mirror::MirrorReport& report, mirror::MirrorSide to) {
  json::Array out;
  for (const auto& step : worth_saying(report.steps)) {
    if (step.to != to) continue;
    out.emplace_back(
        json::Object{{"path", step.path},
                     {"type", step.kind == client::EntryKind::kDirectory ? "dir" : "file"},
                     {"deleted", step.remove}});
  }
  return out;
}

}  // namespace

std::vector<MirrorPrinter::Line> MirrorPrinter::lines(const mirror::MirrorReport& report) const {
  std::vector<Line> out;
  for (const auto& step : worth_saying(report.steps)) {
    out.push_back({step.remove ? Style::kYellow : Style::kGreen, text_of(step)});
  }
  for (const auto& conflict : report.conflicts) {
    out.push_back({Style::kRed, fmt::format("!! {} {}", shown(conflict.path, kShownPath),
                                            shown(conflict.what, kShownPath))});
  }
  for (const auto& left : report.not_taken) {
    out.push_back(
        {Style::kDim, fmt::format("-- {} (not taken over: {} in the {})",
                                  shown(left.path, kShownPath), left.what, side_name(left.on))});
  }
  for (const auto& line : report.left) out.push_back({Style::kYellow, text_of("left", line)});
  for (const auto& line : report.failed) out.push_back({Style::kRed, text_of("failed", line)});
  for (const auto& line : report.skipped) out.push_back({Style::kDim, text_of("skipped", line)});
  return out;
}

std::string MirrorPrinter::summary(const mirror::MirrorReport& report) const {
  std::vector<std::string> parts;
  const auto add = [&](std::size_t count, std::string_view what) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count, what));
  };
  const auto said = worth_saying(report.steps);
  const auto to = [&](mirror::MirrorSide side) {
    return static_cast<std::size_t>(std::ranges::count(said, side, &mirror::MirrorStep::to));
  };
  add(to(mirror::MirrorSide::kDepot), "to the depot");
  add(to(mirror::MirrorSide::kDirectory), "to the directory");
  add(report.conflicts.size(), report.conflicts.size() == 1 ? "conflict" : "conflicts");
  add(report.not_taken.size(), "not taken over");
  add(report.left.size(), "left for the next run");
  add(report.failed.size(), "failed");
  add(report.skipped.size(), "skipped");
  if (parts.empty()) return "in step";
  return fmt::format("{}{}", options_.dry_run ? "dry run: " : "", fmt::join(parts, ", "));
}

json::Object MirrorPrinter::render(const mirror::MirrorReport& report) const {
  auto out = about_;
  out["root"] = report.root;
  out["committed"] = report.committed;
  out["merged"] = report.merged;
  out["dryRun"] = options_.dry_run;
  out["toDepot"] = render_steps(report, mirror::MirrorSide::kDepot);
  out["toDirectory"] = render_steps(report, mirror::MirrorSide::kDirectory);
  json::Array conflicts;
  for (const auto& conflict : report.conflicts) {
    conflicts.emplace_back(json::Object{{"path", shown(conflict.path, kShownPath)},
                                        {"what", shown(conflict.what, kShownPath)}});
  }
  out["conflicts"] = std::move(conflicts);
  json::Array not_taken;
  for (const auto& left : report.not_taken) {
    not_taken.emplace_back(
        json::Object{{"path", left.path}, {"on", side_name(left.on)}, {"what", left.what}});
  }
  out["notTaken"] = std::move(not_taken);
  out["left"] = cli::render(report.left);
  out["failed"] = cli::render(report.failed);
  out["skipped"] = cli::render(report.skipped);
  return out;
}

Result<void> MirrorPrinter::print(const mirror::MirrorReport& report) {
  std::set<std::string> now;
  bool news = !report.steps.empty();
  std::vector<Line> unsaid;
  for (auto& line : lines(report)) {
    // A step that is done again is something new; the rest is until it changes.
    const bool step = line.text.starts_with("->") || line.text.starts_with("<-");
    if (!step) now.insert(line.text);
    if (step || !told_.contains(line.text)) unsaid.push_back(std::move(line));
  }
  news = news || !unsaid.empty();
  told_ = options_.watching ? std::move(now) : std::set<std::string>();
  if (options_.watching && !news) return {};
  if (options_.json) {
    if (!options_.watching) {
      out_.print_json(render(report));
    } else {
      out_.print("{}\n", json::write(render(report)));
    }
    return out_.flush();
  }
  for (const auto& line : unsaid) out_.print("{}\n", out_.paint(line.style, out_.safe(line.text)));
  out_.print("{}\n", summary(report));
  TRY(out_.flush());
  if (report.merged) note("others had committed; their changes were merged in");
  if (!report.conflicts.empty() && !options_.watching) {
    note(
        "both sides of a conflict are as they were; make them equal, or say --keep directory or "
        "--keep depot, for some of them with --path GLOB");
  }
  return {};
}

int exit_code(const mirror::MirrorReport& report) {
  if (!report.failed.empty()) return info(Code::kIoError).exit_code;
  const bool apart = !report.conflicts.empty() || !report.left.empty();
  return apart ? info(Code::kConflict).exit_code : 0;
}

}  // namespace cairn::cli
