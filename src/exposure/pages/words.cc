#include "exposure/pages/words.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <vector>

#include "base/ascii.h"

namespace cairn::pages {
namespace {

struct Phrase {
  Word word;
  std::string_view english;
  std::string_view chinese;
};

constexpr Phrase kPhrases[] = {
    {Word::kSignIn, "Sign in", "登录"},
    {Word::kSignInTitle, "Sign in to Cairn", "登录 Cairn"},
    {Word::kSignInToGrant,
     "A program asks for access. Sign in first; then you decide what it may do.",
     "有程序请求访问。请先登录，再决定它可以做什么。"},
    {Word::kSignInForDevice, "Sign in first; then enter the code that your device shows.",
     "请先登录，再输入设备上显示的代码。"},
    {Word::kName, "Name", "用户名"},
    {Word::kPassword, "Password", "密码"},
    {Word::kHaveLink, "I have a sign-in link", "我有登录链接"},
    {Word::kLinkExplained,
     "On the machine where the server runs, {0} prints a link that signs you in once. The code is "
     "what stands behind the # in it.",
     "在运行服务器的机器上，{0} 会给出一次性登录链接。代码就是链接中 # 后面的部分。"},
    {Word::kTicket, "Code from the link", "链接中的代码"},
    {Word::kUseLink, "Sign in with the link", "用链接登录"},
    {Word::kSignInWith, "Sign in with {0}", "通过 {0} 登录"},
    {Word::kOr, "or", "或"},
    {Word::kWrong, "The name or the password is wrong.", "用户名或密码不正确。"},
    {Word::kTooOften, "Too many attempts. Wait a little, then try again ({0} s).",
     "尝试次数过多，请稍候再试（{0} 秒）。"},
    {Word::kNotAuthorised, "This user may not use this server. An admin can change that.",
     "该用户无权使用此服务器，请联系管理员。"},
    {Word::kLinkOver, "The link was used already, or is older than ten minutes. {0} makes another.",
     "链接已被使用，或已超过十分钟。{0} 可以生成新的链接。"},
    {Word::kGoingOn, "You are signed in. Going on…", "登录成功，正在继续……"},
    {Word::kContinue, "Continue", "继续"},
    {Word::kAlreadyIn,
     "You are signed in already, as {0}. Whoever uses the link below is signed in anew.",
     "您已以 {0} 的身份登录。使用下面的链接将重新登录。"},
    {Word::kSignedInAs, "Signed in as {0}", "已登录：{0}"},
    {Word::kSignOut, "Sign out", "退出登录"},
    {Word::kSignedOut, "You are signed out.", "您已退出登录。"},
    {Word::kStartTitle, "Welcome, {0}", "欢迎，{0}"},
    {Word::kRoleAdmin, "admin", "管理员"},
    {Word::kRoleUser, "user", "用户"},
    {Word::kConnectTitle, "Connect a client", "连接客户端"},
    {Word::kConnectExplained,
     "Give your MCP client this address. It sends you back here, and you decide what it may do.",
     "把这个地址填入您的 MCP 客户端。它会带您回到这里，由您决定它可以做什么。"},
    {Word::kAddress, "Address", "地址"},
    {Word::kSignInsTitle, "Where you are signed in", "登录的设备"},
    {Word::kThisBrowser, "this browser", "当前浏览器"},
    {Word::kLastUsed, "last used {0}", "最近使用：{0}"},
    {Word::kEnd, "End", "结束"},
    {Word::kEndOthers, "Sign out everywhere else", "退出其他所有设备"},
    {Word::kPasswordTitle, "Your password", "您的密码"},
    {Word::kCurrentPassword, "Current password", "当前密码"},
    {Word::kNewPassword, "New password", "新密码"},
    {Word::kPasswordHint, "At least 8 characters. All other browsers are signed out.",
     "至少 8 个字符。其他浏览器都会退出登录。"},
    {Word::kChangePassword, "Change the password", "修改密码"},
    {Word::kPasswordChanged, "The password was changed.", "密码已修改。"},
    {Word::kPasswordWrong, "The current password is another. Nothing was changed.",
     "当前密码不正确，未作任何修改。"},
    {Word::kPasswordLength, "A password has 8 to 1000 bytes. Nothing was changed.",
     "密码长度应为 8 到 1000 字节，未作任何修改。"},
    {Word::kConsentTitle, "Let {0} in?", "允许 {0} 访问吗？"},
    {Word::kAsksFor, "It asks for access to what you keep in Cairn.",
     "它请求访问您保存在 Cairn 中的内容。"},
    {Word::kCallsItself, "calls itself {0}", "自称 {0}"},
    {Word::kUnverified, "unverified", "未验证"},
    {Word::kVerifiedHost, "from {0}", "来自 {0}"},
    {Word::kAddedByAdmin, "added by an admin of this server", "由此服务器的管理员添加"},
    {Word::kYouAre, "You are", "您的身份"},
    {Word::kNotYou, "Not you?", "不是您？"},
    {Word::kAnswerGoes, "The answer goes to", "结果发送到"},
    {Word::kThisComputer, "a program on this computer ({0})", "这台电脑上的程序（{0}）"},
    {Word::kLoopbackWarning,
     "Any program on this computer can say that it is {0}. Go on only if you have just started "
     "connecting it yourself.",
     "这台电脑上的任何程序都可以自称 {0}。只有在您刚刚亲自发起连接时才继续。"},
    {Word::kDeviceFrom, "Asked from {0}, {1}, with the code {2}", "请求来自 {0}，{1}，代码为 {2}"},
    {Word::kDeviceWarning,
     "Go on only if your own device shows this code. Nobody else has a reason to send you one.",
     "只有当您自己的设备显示此代码时才继续。他人没有理由向您发送代码。"},
    {Word::kMay, "It may", "它可以"},
    {Word::kRead, "Read", "读取"},
    {Word::kReadHint, "files and their history", "文件及其历史"},
    {Word::kWrite, "Write", "写入"},
    {Word::kWriteHint, "change files; every change can be taken back",
     "修改文件；每次修改都可以撤销"},
    {Word::kManage, "Manage depots", "管理仓库"},
    {Word::kManageHint, "make, rename and delete depots", "新建、重命名和删除仓库"},
    {Word::kSees, "It sees", "它可以看到"},
    {Word::kSeesAll, "All depots, also those to come", "所有仓库，包括以后新建的"},
    {Word::kSeesDepots, "Only these depots", "仅以下仓库"},
    {Word::kSeesFolder, "Only one folder", "仅一个文件夹"},
    {Word::kSeesOnly, "Only {0}, which it was set up for", "仅 {0}（客户端指定的范围）"},
    {Word::kNoDepots, "There are no depots yet.", "还没有仓库。"},
    {Word::kMoreDepots, "Only the first {0} are listed.", "仅列出前 {0} 个。"},
    {Word::kDepot, "Depot", "仓库"},
    {Word::kFolder, "Folder", "文件夹"},
    {Word::kFolderHint, "such as docs/plans", "例如 docs/plans"},
    {Word::kUntil, "Until when", "有效期"},
    {Word::kHour, "1 hour", "1 小时"},
    {Word::kDay, "1 day", "1 天"},
    {Word::kMonth, "30 days", "30 天"},
    {Word::kYear, "1 year", "1 年"},
    {Word::kRevoked, "Until I end it", "直到我撤销"},
    {Word::kChildren,
     "It can pass on what you allow, or a part of it, to helpers of its own. You can narrow or end "
     "this at any time; that holds for its helpers too.",
     "它可以把您授予的权限或其中一部分转交给自己的助手。您随时可以缩小或撤销，对其助手同样有效。"},
    {Word::kAllow, "Allow", "允许"},
    {Word::kDeny, "Deny", "拒绝"},
    {Word::kChooseDepot, "Choose at least one depot.", "请至少选择一个仓库。"},
    {Word::kCannotGrant, "This cannot be granted as it stands: {0}", "无法按此授权：{0}"},
    {Word::kAllowed, "{0} may go on.", "已允许 {0}。"},
    {Word::kDenied, "{0} was not let in.", "已拒绝 {0}。"},
    {Word::kBackTo, "Going back to it. If nothing happens, use the button.",
     "正在返回。如果没有反应，请点击按钮。"},
    {Word::kDeviceTitle, "Connect a device", "连接设备"},
    {Word::kDeviceExplained, "Enter the code that the program shows you.",
     "请输入程序显示的代码。"},
    {Word::kCode, "Code", "代码"},
    {Word::kCheckCode, "Go on", "继续"},
    {Word::kCodeUnknown,
     "There is no such code, or it is older than fifteen minutes. Look at the device again.",
     "代码不存在，或已超过十五分钟。请再查看设备。"},
    {Word::kDeviceAllowed, "Your device goes on by itself within some seconds.",
     "您的设备将在几秒内自动继续。"},
    {Word::kDeviceDenied, "Your device is told so.", "您的设备会收到通知。"},
    {Word::kCloseThis, "You can close this page.", "您可以关闭此页面。"},
    {Word::kErrorTitle, "This did not work", "操作未成功"},
    {Word::kRequestOver,
     "This request was answered already, or is older than ten minutes. Begin again in the program "
     "that sent you here.",
     "该请求已被处理，或已超过十分钟。请在原来的程序中重新开始。"},
    {Word::kForeignPage,
     "The form did not come from this page as you see it, so nothing was done. Open the page "
     "again, "
     "and try once more.",
     "提交的表单不是来自此页面，因此未执行任何操作。请重新打开页面再试。"},
    {Word::kNotFound, "There is no such page.", "没有这个页面。"},
    {Word::kWentWrong, "The program that sent you here asked for something that cannot be: {0}",
     "原程序的请求无法完成：{0}"},
    {Word::kToStart, "To the start page", "返回首页"},
    {Word::kMinutesAgo, "{0} min ago", "{0} 分钟前"},
    {Word::kJustNow, "just now", "刚刚"},
    {Word::kHelp, "API documentation", "API 文档"},
};

constexpr bool is_complete() {
  if (std::size(kPhrases) != static_cast<std::size_t>(Word::kCount)) return false;
  for (std::size_t i = 0; i < std::size(kPhrases); ++i) {
    const auto& phrase = kPhrases[i];
    if (phrase.word != static_cast<Word>(i)) return false;
    if (phrase.english.empty() || phrase.chinese.empty()) return false;
    for (const auto* place : {"{0}", "{1}", "{2}"}) {
      if (phrase.english.contains(place) != phrase.chinese.contains(place)) return false;
    }
  }
  return true;
}
static_assert(is_complete(), "a phrase is missing, out of order, or has other places in Chinese");

// 0 to 1000; what is not understood is 1000.
int weight_of(std::string_view parameters) {
  const auto at = parameters.find("q=");
  if (at == std::string_view::npos) return 1000;
  auto digits = parameters.substr(at + 2);
  int weight = digits.starts_with('1') ? 1000 : 0;
  if (digits.size() < 2 || digits[1] != '.') return weight;
  int unit = 100;
  for (const char c : digits.substr(2, 3)) {
    if (c < '0' || c > '9') break;
    weight += (c - '0') * unit;
    unit /= 10;
  }
  return std::min(weight, 1000);
}

}  // namespace

std::string_view tag_of(Language language) {
  return language == Language::kChinese ? "zh-CN" : "en";
}

Language language_of(std::string_view accepted) {
  constexpr std::size_t kMost = 20;
  auto best = Language::kEnglish;
  int best_weight = 0;
  for (std::size_t i = 0; i < kMost && !accepted.empty(); ++i) {
    // ui_locales are apart by spaces.
    const auto start = accepted.find_first_not_of(", ");
    if (start == std::string_view::npos) break;
    accepted.remove_prefix(start);
    const auto end = std::min(accepted.find(','), accepted.find(' '));
    const auto item = accepted.substr(0, end);
    accepted.remove_prefix(std::min(end, accepted.size()));
    const auto tag = lowered(item.substr(0, item.find(';')));
    const int weight = weight_of(item);
    if (weight <= best_weight) continue;
    if (tag == "zh" || tag.starts_with("zh-")) {
      best = Language::kChinese;
    } else if (tag == "en" || tag.starts_with("en-") || tag == "*") {
      best = Language::kEnglish;
    } else {
      continue;
    }
    best_weight = weight;
  }
  return best;
}

std::string_view say(Language language, Word word) {
  const auto& phrase = kPhrases[static_cast<std::size_t>(word)];
  return language == Language::kChinese ? phrase.chinese : phrase.english;
}

Html say(Language language, Word word, std::initializer_list<Html> in_places) {
  auto rest = say(language, word);
  Html out;
  while (true) {
    const auto at = rest.find('{');
    out += Html(rest.substr(0, at));
    if (at == std::string_view::npos) return out;
    const auto place = static_cast<std::size_t>(rest[at + 1] - '0');
    if (place < in_places.size()) out += *(in_places.begin() + place);
    rest.remove_prefix(at + 3);
  }
}

}  // namespace cairn::pages
