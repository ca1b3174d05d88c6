#include "tools/zlink/registry_view.hpp"

#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tools/zlink/registry_http.hpp"

namespace zlink::tool {
namespace {

zlink_registry_event_t event (std::uint32_t kind, const char *service, const char *endpoint)
{
    zlink_registry_event_t made{};
    made.kind = kind;
    made.service_type = ZLINK_SERVICE_GATEWAY;
    made.confirmed = 1;
    made.weight = 1;
    made.instance = 10;
    made.service_name = service;
    made.endpoint = endpoint;
    made.host = made.zone = made.reason_text = "";
    return made;
}

constexpr const char *hostile = "</script><img src=x onerror=alert(1)> \" \\ \xe2\x80\xae";

struct registry_views : testing::Test
{
    std::string
    there (const char *service = "calc", const char *endpoint = "tcp://a:1", bool confirmed = true)
    {
        zlink_registry_event_t what = event (ZLINK_REGISTRY_PROVIDER, service, endpoint);
        what.confirmed = confirmed ? 1 : 0;
        return view.take (what);
    }
    std::string gone (const char *service = "calc", const char *endpoint = "tcp://a:1")
    {
        zlink_registry_event_t what = event (ZLINK_REGISTRY_GONE, service, endpoint);
        what.reason = ZLINK_GONE_LOST;
        what.reason_text = "lost";
        return view.take (what);
    }
    nlohmann::json shown () { return nlohmann::json::parse (view.json ({})); }

    registry_view view;
};

TEST_F (registry_views, a_line_says_what_where_and_why)
{
    constexpr const char *who = " service=\"calc\" endpoint=tcp://a:1 instance=000000000000000a";
    const std::string what = std::string (who) + " weight=1 host=\"\"";
    EXPECT_EQ (there ("calc", "tcp://a:1", false), "remembered" + what);
    EXPECT_EQ (there (), "confirmed" + what);
    EXPECT_EQ (there (), "changed" + what);
    EXPECT_EQ (gone (), std::string ("gone") + who + " reason=lost");
    EXPECT_EQ (there (), "registered" + what);
    zlink_registry_event_t refused = event (ZLINK_REGISTRY_REFUSED, "", "tcp://*:1");
    refused.reason = 7;
    refused.reason_text = "endpoint";
    EXPECT_EQ (view.take (refused), "refused endpoint=\"tcp://*:1\" reason=endpoint");
    EXPECT_EQ (view.changes (), 5U) << "a refusal changes nothing";
}

TEST_F (registry_views, who_was_remembered_confirms_though_only_that_is_told)
{
    there ();
    const std::vector<seen_provider> before = view.providers ();
    gone ();
    view.foresee (before[0]);
    EXPECT_TRUE (view.providers ().empty ()) << "nobody is there who was not told of";
    EXPECT_TRUE (there ().starts_with ("confirmed ")) << "it came back before anybody looked";
    gone ();
    EXPECT_TRUE (there ().starts_with ("registered ")) << "foreseen once";
}

TEST_F (registry_views, who_is_there_is_shown_and_counted)
{
    there ();
    there ("calc", "tcp://a:2");
    there ("echo", "tcp://a:1");
    gone ();
    const nlohmann::json all = shown ();
    EXPECT_EQ (all["providers"], 2);
    EXPECT_EQ (all["services"][0]["name"], "calc");
    EXPECT_EQ (all["services"][0]["providers"][0]["endpoint"], "tcp://a:2");
    EXPECT_EQ (all["registered_total"], 3);
    EXPECT_EQ (all["gone_total"]["lost"], 1);
    gone ("calc", "tcp://a:2");
    EXPECT_EQ (shown ()["services"].size (), 1U) << "a service that nobody provides is no more";
    EXPECT_EQ (view.providers ().size (), 1U);
    const std::string numbers = view.metrics ({});
    EXPECT_NE (numbers.find ("zlink_registry_gone_total{reason=\"lost\"} 2\n"), std::string::npos) << numbers;
    EXPECT_NE (
      numbers.find ("zlink_registry_providers{service_namespace=\"gateway\",service_name=\"echo\"} 1\n"),
      std::string::npos)
      << numbers;
}

TEST_F (registry_views, what_a_provider_says_stays_text)
{
    const std::string line = there (hostile);
    EXPECT_EQ (line.find ('\xe2'), std::string::npos) << line;
    EXPECT_NE (line.find (R"(onerror=alert(1)> \" \\ \u202e")"), std::string::npos) << line;
    EXPECT_EQ (shown ()["services"][0]["name"], hostile);
    const std::string numbers = view.metrics ({});
    EXPECT_NE (numbers.find (R"(onerror=alert(1)> \" \\ )"), std::string::npos) << numbers;
}

TEST_F (registry_views, who_waits_is_told_of_changes_and_of_the_end)
{
    constexpr std::chrono::hours ever{1};
    std::thread by ([this] { there (); });
    EXPECT_EQ (view.wait_beyond (0, ever), 1U);
    by.join ();
    EXPECT_FALSE (view.wait_for_end (std::chrono::milliseconds (0)));
    std::thread ender ([this] { view.end (); });
    EXPECT_TRUE (view.wait_for_end (ever));
    ender.join ();
    EXPECT_EQ (view.wait_beyond (1, ever), 1U);
    EXPECT_TRUE (view.has_ended ());
}

TEST (registry_pages, have_everything_with_them)
{
    const std::string page = registry_page ("abc");
    EXPECT_NE (page.find ("<script nonce=\"abc\">"), std::string::npos);
    for (const char *const never : {"src=\"http", "href=\"http", "innerHTML", "insertAdjacentHTML",
                                    "outerHTML", "document.write", " style=\"", " onclick=\""})
        EXPECT_EQ (page.find (never), std::string::npos) << never;
}

}  // namespace
}  // namespace zlink::tool
