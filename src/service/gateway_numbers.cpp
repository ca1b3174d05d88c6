// What gateways and receivers have counted, as numbers with names (docs/observing.md).
#include <utility>

#include "service/gateway.hpp"
#include "service/receiver.hpp"

namespace zlink::service {

namespace {

// How requests fail, and what metrics call it.
constexpr std::pair<call_status, std::string_view> failures[] = {
  {call_status::no_provider, "no_provider"}, {call_status::deadline, "deadline"},
  {call_status::cancelled, "cancelled"},     {call_status::lost, "provider_lost"},
  {call_status::refused, "refused"},         {call_status::overloaded, "overloaded"},
  {call_status::interrupted, "interrupted"}, {call_status::terminated, "terminated"},
  {call_status::no_memory, "no_memory"},
};

}  // namespace

std::vector<counted_number> gateway::numbers ()
{
    const gateway_counters now = counters ();
    lock_.lock ();
    const std::uint64_t under_way = table_.size ();
    lock_.unlock ();
    std::vector<counted_number> all = {
      {"requests", "Requests that were begun.", now.requests},
      {"attempts", "Sendings of requests.", now.attempts},
      {"replies", "Replies that somebody waited for.", now.replies},
    };
    for (const auto &[how, name] : failures)
        all.push_back ({"failed", "Requests without a reply, by what went wrong.",
                        now.ended[static_cast<std::size_t> (how)], true, name});
    all.insert (
      all.end (),
      {{"late", "Replies that nobody waited for any more.", now.late},
       {"recalled", "Messages that came back, as no octet had left.", now.recalled},
       {"one_way", "Messages without reply that were sent.", now.one_way},
       {"one_way_lost", "Those of them that came back and had nowhere else to go.", now.one_way_lost},
       {"unasked_dropped", "Messages of providers that nobody had room for.", now.unasked_dropped},
       {"malformed", "What providers sent and nobody understands.", now.malformed},
       {"under_way", "Requests that are under way.", under_way, false}});
    return all;
}

std::vector<counted_number> receiver::numbers ()
{
    const receiver_counters now = counters ();
    return {
      {"requests", "Requests that were taken.", now.requests},
      {"one_way", "Messages without reply that were taken.", now.one_way},
      {"replies", "Requests that were answered.", now.replies},
      {"failures", "Requests that the application failed.", now.failures},
      {"refused", "Requests that were refused before the application saw them.", now.refused},
      {"cancelled", "Answers that nobody wanted any more.", now.cancelled},
      {"malformed", "Messages that nobody understands, whose senders were disconnected.", now.malformed},
      {"under_way", "Requests that were taken and are not answered.", under_way (), false},
    };
}

}  // namespace zlink::service
