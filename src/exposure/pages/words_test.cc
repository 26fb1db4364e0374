// Words: both languages, and who reads which.
#include "exposure/pages/words.h"

#include <algorithm>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cairn::pages {
namespace {

constexpr auto kWords = static_cast<int>(Word::kCount);

TEST(Words, EveryPhraseIsThereInBothLanguages) {
  for (int i = 0; i < kWords; ++i) {
    const auto word = static_cast<Word>(i);
    const auto english = say(Language::kEnglish, word);
    const auto chinese = say(Language::kChinese, word);
    EXPECT_FALSE(english.empty()) << i;
    EXPECT_TRUE(std::ranges::any_of(chinese, [](char c) { return (c & 0x80) != 0; })) << english;
    EXPECT_FALSE(std::ranges::any_of(english, [](char c) { return c == '\t' || c == '\n'; }));
    for (const auto* place : {"{0}", "{1}", "{2}"}) {
      EXPECT_EQ(english.contains(place), chinese.contains(place)) << english;
    }
  }
}

TEST(Words, NoPhraseIsThereTwice) {
  std::set<std::string_view> seen;
  for (int i = 0; i < kWords; ++i) {
    const auto english = say(Language::kEnglish, static_cast<Word>(i));
    EXPECT_TRUE(seen.insert(english).second) << english;
  }
}

TEST(Words, PlacesAreFilledWithWhatIsEscaped) {
  EXPECT_EQ(say(Language::kEnglish, Word::kConsentTitle, {"<b>"}).markup(), "Let &lt;b&gt; in?");
  EXPECT_EQ(say(Language::kChinese, Word::kSignedInAs, {element("b", {}, {"ada"})}).markup(),
            "已登录：<b>ada</b>");
  EXPECT_EQ(say(Language::kEnglish, Word::kAllow, {}).markup(), "Allow");
}

TEST(Words, ABrowserReadsWhatItLikesBest) {
  struct Case {
    const char* accepted;
    Language language;
  };
  for (const auto& c : {
           Case{"", Language::kEnglish},
           Case{"zh", Language::kChinese},
           Case{"zh-CN,zh;q=0.9,en;q=0.8", Language::kChinese},
           Case{"zh-Hant-TW", Language::kChinese},
           Case{"en-GB,en;q=0.9,zh;q=0.8", Language::kEnglish},
           Case{"en;q=0.5, zh;q=0.75", Language::kChinese},
           Case{"de-DE,de;q=0.9,zh;q=0.2,en;q=0.1", Language::kChinese},
           Case{"de", Language::kEnglish},
           Case{"zh;q=0", Language::kEnglish},
           Case{"fr-CA zh-CN en", Language::kChinese},
           Case{",,, ;;;q=,", Language::kEnglish},
           Case{"zhx", Language::kEnglish},
       }) {
    EXPECT_EQ(language_of(c.accepted), c.language) << c.accepted;
  }
}

}  // namespace
}  // namespace cairn::pages
