#include "exposure/client/pages.h"

#include <cstddef>
#include <string_view>
#include <utility>

namespace cairn::client {

const json::Array& rows_of(const json::Object& answer, std::string_view name) {
  static const json::Array kNone;
  const auto* value = json::find(answer, name);
  return value != nullptr && value->is_array() ? value->get_array() : kNone;
}

const json::Object& object_of(const json::Object& answer, std::string_view name) {
  static const json::Object kNone;
  const auto* value = json::find(answer, name);
  return value != nullptr && value->is_object() ? value->get_object() : kNone;
}

Result<void> for_each_page(Client& client, std::string_view tool, json::Object arguments,
                           const VisitPage& visit) {
  while (true) {
    const auto answer = TRY(client.call(tool, arguments));
    if (!answer.is_object()) return fail(Code::kInternal, "{} gave no object", tool);
    if (TRY(visit(answer.get_object())) == More::kNo) return {};
    const auto cursor = Arguments(answer.get_object()).maybe_text("nextCursor");
    if (!cursor) return {};
    arguments["cursor"] = *cursor;
  }
}

Result<void> for_each(Client& client, std::string_view tool, json::Object arguments,
                      std::string_view rows, const VisitRow& visit) {
  return for_each_page(client, tool, std::move(arguments),
                       [&](const json::Object& answer) -> Result<More> {
                         for (const auto& row : rows_of(answer, rows)) {
                           if (!row.is_object()) continue;
                           if (TRY(visit(row.get_object())) == More::kNo) return More::kNo;
                         }
                         return More::kYes;
                       });
}

Result<json::Value> collect(Client& client, std::string_view tool, json::Object arguments,
                            std::string_view rows, std::size_t most) {
  json::Object all;
  TRY(for_each_page(client, tool, std::move(arguments),
                    [&](const json::Object& answer) -> Result<More> {
                      if (all.empty()) {
                        all = answer;
                      } else {
                        auto& list = all[rows].as_array();
                        for (const auto& row : rows_of(answer, rows)) list.push_back(row);
                        if (const auto* cursor = json::find(answer, "nextCursor")) {
                          all["nextCursor"] = *cursor;
                        }
                        if (const auto* more = json::find(answer, "hasMore"))
                          all["hasMore"] = *more;
                      }
                      return rows_of(all, rows).size() >= most ? More::kNo : More::kYes;
                    }));
  return all;
}

}  // namespace cairn::client
