#include "bench/cell.hpp"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

namespace {

using namespace zlink::bench;

TEST (cell, its_name_reads_back)
{
    for (const cell &one : select_cells ("*/throughput+pinned+message,latency,burst,open-10k+busy")) {
        const std::optional<cell> again = parse_cell (one.name ());
        ASSERT_TRUE (again) << one.name ();
        EXPECT_EQ (*again, one) << one.name ();
    }
}

TEST (cell, parts_come_in_any_order_and_have_defaults)
{
    const std::optional<cell> one = parse_cell ("1K/latency-one/ipc");
    ASSERT_TRUE (one);
    EXPECT_EQ (one->name (), "PAIR/ipc/1024/latency-one");
    EXPECT_EQ (parse_cell ("throughput/tcp/64/PAIR"), parse_cell ("PAIR/tcp/64/throughput"));
    EXPECT_EQ (parse_cell ("+busy")->name (), "PAIR/tcp/64/throughput+busy");
}

TEST (cell, nonsense_is_refused)
{
    for (const char *text :
         {"PAIR/udp/64", "QUAD", "0", "12Q", "latency+fast", "+", "", "16", "99999999999999999999"})
        EXPECT_FALSE (parse_cell (text)) << text;
}

TEST (select_cells, everything_is_every_plain_cell)
{
    EXPECT_EQ (select_cells ("*").size (), 2u * 3u * 7u * 3u);
    EXPECT_TRUE (select_cells ("nonsense").empty ());
}

TEST (select_cells, lists_multiply)
{
    const std::vector<cell> cells = select_cells ("tcp,ipc/64,1024/PUSH_PULL/throughput");
    std::set<std::string> names;
    for (const cell &one : cells)
        names.insert (one.name ());
    EXPECT_EQ (names,
               (std::set<std::string>{"PUSH_PULL/tcp/64/throughput", "PUSH_PULL/tcp/1024/throughput",
                                      "PUSH_PULL/ipc/64/throughput", "PUSH_PULL/ipc/1024/throughput"}));
}

TEST (select_cells, modifiers_belong_to_their_metric)
{
    const std::vector<cell> cells =
      select_cells ("PAIR/tcp/64/latency+nospin,latency+onecpu,throughput/+io2");
    ASSERT_EQ (cells.size (), 3u);
    EXPECT_EQ (cells[0].name (), "PAIR/tcp/64/latency+io2+nospin");
    EXPECT_EQ (cells[1].name (), "PAIR/tcp/64/latency+onecpu+io2");
    EXPECT_EQ (cells[2].name (), "PAIR/tcp/64/throughput+io2");
}

TEST (select_cells, leaves_out_what_cannot_be)
{
    EXPECT_TRUE (select_cells ("inproc/throughput+processes").empty ());
    EXPECT_TRUE (select_cells ("PAIR/throughput+peers100").empty ());
    EXPECT_TRUE (select_cells ("latency+threads8").empty ());
    EXPECT_FALSE (select_cells ("PUSH_PULL/tcp/64/throughput+peers100").empty ());
    EXPECT_TRUE (select_cells ("REQ_REP/throughput,latency-one").empty ());
    EXPECT_TRUE (
      select_cells ("ROUTER_ROUTER/throughput+message,throughput+batch,throughput+threads8").empty ());
    EXPECT_TRUE (select_cells ("PUSH_PULL/throughput+drop,throughput+fan4").empty ());
    EXPECT_TRUE (select_cells ("PUB_SUB/throughput+fan4+threads8,latency+drop").empty ());
    EXPECT_TRUE (select_cells ("ROUTER_ROUTER/inproc/idle").empty ());
    EXPECT_TRUE (select_cells ("STREAM/tcp/throughput+poll,throughput+message,latency-fd").empty ());
    EXPECT_EQ (select_cells ("STREAM/64/throughput,latency").size (), 4u);
    EXPECT_EQ (select_cells ("PUB_SUB/tcp/64/publish-10,publish-1m").size (), 2u);
    EXPECT_EQ (select_cells ("SPOT/64/publish-10,publish-1m,publish-all,mesh-32,idle").size (), 3u);
    EXPECT_TRUE (select_cells ("SPOT/tcp/publish-1m,mesh-32+io2").empty ());
    EXPECT_TRUE (select_cells ("PUB_SUB,GATEWAY/mesh-32").empty ());
    EXPECT_EQ (select_cells ("GATEWAY/64/watchers-100").size (), 1u);
    EXPECT_TRUE (select_cells ("SPOT,DEALER_ROUTER,ROUTER_ROUTER/watchers-100,watchers-100+io2").empty ());
    EXPECT_EQ (select_cells ("PUB_SUB/64/throughput+fan8").size (), 3u);
    EXPECT_TRUE (select_cells ("RADIO_DISH,CLIENT_SERVER/throughput+batch,latency-one").empty ());
    EXPECT_EQ (select_cells ("RADIO_DISH,CLIENT_SERVER/tcp/64/throughput,latency").size (), 4u);
    EXPECT_TRUE (select_cells ("PAIR/inproc/throughput+curve").empty ());
    EXPECT_TRUE (select_cells ("PAIR/handshakes").empty ());
    EXPECT_TRUE (select_cells ("DEALER_ROUTER/tcp/handshakes+resumed,throughput+resumed").empty ());
    EXPECT_EQ (select_cells ("DEALER_ROUTER/tcp,tls/64/handshakes,handshakes+curve").size (), 4u);
}

TEST (select_cells, services_have_calls_of_their_own)
{
    EXPECT_EQ (select_cells ("GATEWAY/inproc,tls/64/throughput,latency,pipelined").size (), 6u);
    EXPECT_TRUE (select_cells ("GATEWAY/latency-one,burst,throughput+peers100,latency+nospin").empty ());
    EXPECT_FALSE (has_rival (*parse_cell ("GATEWAY/tcp/64/throughput")));
    EXPECT_EQ (select_cells ("SPOT/inproc,tls/64/throughput,latency,throughput+fan8").size (), 6u);
    EXPECT_TRUE (select_cells ("SPOT/pipelined,latency-one,throughput+drop,latency+fan2").empty ());
    EXPECT_FALSE (has_rival (*parse_cell ("SPOT/tcp/64/throughput")));
    EXPECT_EQ (select_cells ("DEALER_ROUTER/tcp/64/pipelined,pipelined+peers100").size (), 2u);
    EXPECT_TRUE (select_cells ("GATEWAY/pipelined+peers100").empty ());
    EXPECT_TRUE (select_cells ("DEALER_ROUTER/pipelined+threads8,pipelined+turns,pipelined+batch").empty ());
    EXPECT_TRUE (select_cells ("PAIR,REQ_REP,PUB_SUB/pipelined").empty ());
}

TEST (modifiers, a_fan_is_as_wide_as_its_name)
{
    for (const unsigned wide : {1u, 2u, 4u, 8u})
        EXPECT_EQ (parse_cell ("PUB_SUB/throughput+fan" + std::to_string (wide))->with.fan (), wide);
    EXPECT_EQ (parse_cell ("PUB_SUB/throughput")->with.fan (), 0u);
}

TEST (words_of_cells, names_every_table)
{
    const std::string words = words_of_cells ();
    for (const char *word : {"ROUTER_ROUTER", "publish-1m", "+fan8"})
        EXPECT_NE (words.find (word), std::string::npos) << word;
}

TEST (metrics, every_row_is_found_by_its_id)
{
    for (const metric_facts &row : metrics ())
        EXPECT_EQ (facts_of (row.id).name, row.name);
}

}  // namespace
