#include "service/spot_mesh.hpp"

#include <gtest/gtest.h>

#include "service/limits.hpp"

namespace zlink::service {
namespace {

// What is to be done, as text.
std::string todo (spot_mesh &mesh)
{
    static constexpr const char *words[] = {"dial", "hang_up", "introduce", "came", "gone"};
    std::string all;
    for (const spot_mesh::action &each : mesh.take_actions ()) {
        all += std::string (words[static_cast<std::size_t> (each.what)]) + " ";
        all += each.node == 0 ? each.endpoint : std::to_string (each.node);
        all += "; ";
    }
    return all;
}

TEST (SpotMesh, DialsAnEndpointOnceAsLongAsOneSourceNamesIt)
{
    spot_mesh mesh (1);
    EXPECT_TRUE (mesh.add ("a", spot_source::told));
    EXPECT_FALSE (mesh.add ("a", spot_source::told));
    EXPECT_TRUE (mesh.add ("a", spot_source::registry));
    EXPECT_EQ (todo (mesh), "dial a; ");
    EXPECT_TRUE (mesh.remove ("a", spot_source::told));
    EXPECT_FALSE (mesh.remove ("a", spot_source::told));
    EXPECT_EQ (todo (mesh), "");
    EXPECT_TRUE (mesh.remove ("a", spot_source::registry));
    EXPECT_EQ (todo (mesh), "hang_up a; ");
}

TEST (SpotMesh, LeavesSeedsAndMembersAndKeepsWhatElseNamesThem)
{
    spot_mesh mesh (1);
    EXPECT_FALSE (mesh.leave ());
    (void)mesh.add ("seed", spot_source::seed);
    (void)mesh.add ("named", spot_source::told);
    mesh.present (1, 2, "member");
    (void)mesh.take_actions ();
    EXPECT_TRUE (mesh.leave ());
    EXPECT_EQ (todo (mesh), "hang_up member; hang_up seed; ");
    EXPECT_FALSE (mesh.leave ());
    mesh.told_of (2, 3, "another");
    mesh.present (2, 4, "yet another");
    EXPECT_EQ (todo (mesh), "came 4; ");
    mesh.be_member ();
    EXPECT_EQ (todo (mesh), "dial member; introduce 2; dial yet another; introduce 4; ");
}

TEST (SpotMesh, PartsWithWhoSaysNoMoreWhereItIs)
{
    spot_mesh mesh (1);
    mesh.be_member ();
    mesh.present (1, 2, "member");
    (void)mesh.take_actions ();
    mesh.present (2, 2, "");
    mesh.absent (2, 2, "member");
    EXPECT_TRUE (mesh.members ().empty ());
    mesh.told_of (3, 2, "member");  // by one who has not heard of it yet
    EXPECT_EQ (mesh.advance (2 + spot_parting_ns), base::never_ns);
    EXPECT_EQ (todo (mesh), "hang_up member; ");
    mesh.present (4, 2, "member");
    EXPECT_EQ (todo (mesh), "dial member; introduce 2; ");
}

TEST (SpotMesh, ReadsForAWhileFromWhomOthersNoLongerName)
{
    spot_mesh mesh (1);
    (void)mesh.add ("a", spot_source::registry);
    (void)mesh.add ("a", spot_source::seed);
    (void)mesh.take_actions ();
    mesh.let_go (1, "a", spot_source::registry);
    EXPECT_EQ (mesh.advance (2), base::never_ns);
    mesh.let_go (3, "a", spot_source::seed);
    EXPECT_EQ (mesh.advance (4), 3 + spot_parting_ns);
    EXPECT_EQ (todo (mesh), "");
    EXPECT_EQ (mesh.advance (3 + spot_parting_ns), base::never_ns);
    EXPECT_EQ (todo (mesh), "hang_up a; ");
}

TEST (SpotMesh, KeepsTheConnectionToWhoIsNamedAgain)
{
    spot_mesh mesh (1);
    (void)mesh.add ("a", spot_source::registry);
    (void)mesh.take_actions ();
    mesh.let_go (1, "a", spot_source::registry);
    EXPECT_TRUE (mesh.add ("a", spot_source::registry));
    EXPECT_EQ (mesh.advance (2 + spot_parting_ns), base::never_ns);
    EXPECT_EQ (todo (mesh), "");
    mesh.let_go (2, "a", spot_source::registry);
    mesh.own ("a");
    EXPECT_EQ (todo (mesh), "hang_up a; ");
}

TEST (SpotMesh, StaysConnectedToABoundedNumberOfThoseItLetsGo)
{
    spot_mesh mesh (1);
    for (std::size_t i = 0; i <= spot_nodes_max; ++i)
        (void)mesh.add (std::to_string (i), spot_source::registry);
    (void)mesh.take_actions ();
    for (std::size_t i = 0; i <= spot_nodes_max; ++i)
        mesh.let_go (1, std::to_string (i), spot_source::registry);
    EXPECT_EQ (todo (mesh), "hang_up " + std::to_string (spot_nodes_max) + "; ");
}

TEST (SpotMesh, LetsGoOnlyOfWhatItWants)
{
    spot_mesh mesh (1);
    mesh.let_go (1, "a", spot_source::registry);
    EXPECT_EQ (mesh.advance (2), base::never_ns);
    EXPECT_EQ (todo (mesh), "");
}

TEST (SpotMesh, NeverDialsItself)
{
    spot_mesh mesh (1);
    mesh.own ("me");
    EXPECT_FALSE (mesh.add ("me", spot_source::registry));
    (void)mesh.add ("also", spot_source::registry);
    mesh.own ("also");
    EXPECT_EQ (todo (mesh), "dial also; hang_up also; ");
    mesh.be_member ();
    mesh.present (0, 1, "elsewhere");
    mesh.told_of (0, 1, "elsewhere");
    EXPECT_EQ (todo (mesh), "");
}

TEST (SpotMesh, OfWhoIsNoMemberAnswersNobody)
{
    spot_mesh mesh (1);
    mesh.present (0, 2, "two");
    mesh.told_of (0, 3, "three");
    EXPECT_EQ (todo (mesh), "came 2; ");
    EXPECT_EQ (mesh.present_count (), 1u);
    mesh.absent (0, 2, "two");
    EXPECT_EQ (todo (mesh), "gone 2; ");
    EXPECT_EQ (mesh.present_count (), 0u);
}

TEST (SpotMesh, OfAMemberConnectsBackAndIntroduces)
{
    spot_mesh mesh (1);
    (void)mesh.add ("seed", spot_source::seed);
    EXPECT_TRUE (mesh.is_member ());
    mesh.present (0, 2, "two");
    EXPECT_EQ (todo (mesh), "dial seed; came 2; dial two; introduce 2; ");
    mesh.told_of (0, 3, "three");
    mesh.told_of (0, 3, "three");
    EXPECT_EQ (todo (mesh), "dial three; ");
    mesh.present (0, 3, "three");
    EXPECT_EQ (todo (mesh), "came 3; introduce 3; ");
    EXPECT_EQ (mesh.members ().size (), 2u);
    mesh.present (0, 4, "");
    EXPECT_EQ (todo (mesh), "came 4; ");
    EXPECT_EQ (mesh.members ().size (), 2u);
}

TEST (SpotMesh, WelcomesWhoCameBeforeItWasAMember)
{
    spot_mesh mesh (1);
    mesh.present (0, 2, "two");
    mesh.present (0, 3, "");
    mesh.present (0, 4, "four");
    mesh.absent (0, 4, "four");
    EXPECT_EQ (todo (mesh), "came 2; came 3; came 4; gone 4; ");
    mesh.be_member ();
    mesh.be_member ();
    EXPECT_EQ (todo (mesh), "dial two; introduce 2; ");
    EXPECT_EQ (mesh.members ().size (), 1u);
}

TEST (SpotMesh, ForgetsWhoStaysAway)
{
    spot_mesh mesh (1);
    mesh.be_member ();
    mesh.present (0, 2, "two");
    mesh.told_of (0, 3, "three");
    (void)mesh.take_actions ();
    EXPECT_EQ (mesh.advance (1), spot_forget_ns);
    mesh.absent (5, 2, "two");
    EXPECT_EQ (todo (mesh), "gone 2; ");
    EXPECT_EQ (mesh.advance (spot_forget_ns), 5 + spot_forget_ns);
    EXPECT_EQ (mesh.advance (5 + spot_forget_ns), spot_forget_ns + spot_parting_ns);
    EXPECT_EQ (todo (mesh), "");
    EXPECT_EQ (mesh.advance (spot_forget_ns + spot_parting_ns), 5 + spot_forget_ns + spot_parting_ns);
    EXPECT_EQ (todo (mesh), "hang_up three; ");
    EXPECT_EQ (mesh.advance (5 + spot_forget_ns + spot_parting_ns), base::never_ns);
    EXPECT_EQ (todo (mesh), "hang_up two; ");
}

TEST (SpotMesh, StaysWithTheEndpointOfWhoTookIt)
{
    spot_mesh mesh (1);
    mesh.be_member ();
    mesh.present (0, 2, "two");
    mesh.absent (1, 2, "two");
    mesh.present (2, 22, "two");
    (void)mesh.take_actions ();
    (void)mesh.advance (1 + spot_forget_ns);
    EXPECT_EQ (todo (mesh), "");
}

TEST (SpotMesh, FollowsANodeToAnotherEndpoint)
{
    spot_mesh mesh (1);
    mesh.be_member ();
    mesh.present (0, 2, "two");
    (void)mesh.take_actions ();
    mesh.present (0, 2, "other");
    mesh.absent (0, 2, "two");
    EXPECT_EQ (todo (mesh), "dial other; introduce 2; ");
    EXPECT_EQ (mesh.present_count (), 1u);
}

// By a presence in its name.
TEST (SpotMesh, NobodyTakesANodeAwayFromWhereItSaysThatItIs)
{
    spot_mesh mesh (1);
    mesh.be_member ();
    mesh.present (0, 2, "two");
    (void)mesh.take_actions ();
    for (const char *const elsewhere : {"elsewhere", ""}) {
        mesh.present (1, 2, elsewhere);
        EXPECT_EQ (mesh.members ().at (0).endpoint, "two");
        mesh.absent (2, 2, elsewhere);
        (void)mesh.advance (3 + spot_parting_ns);
        EXPECT_EQ (mesh.members ().at (0).endpoint, "two");
    }
    EXPECT_EQ (todo (mesh), "dial elsewhere; introduce 2; hang_up elsewhere; ");
    for (std::size_t i = 1; i < 10 * spot_presences_max; ++i)
        mesh.present (4, 2, std::to_string (i));
    for (std::size_t i = 1; i < 10 * spot_presences_max; ++i)
        mesh.absent (4, 2, std::to_string (i));
    EXPECT_EQ (mesh.present_count (), 1U);
    EXPECT_EQ (mesh.take_actions ().size (), 2 * (spot_presences_max - 1));
    mesh.absent (5, 2, "two");
    EXPECT_EQ (todo (mesh), "gone 2; ");
}

TEST (SpotMesh, IsNotKeptBusyByWhoTellsOfOneNodeEverywhere)
{
    spot_mesh mesh (1);
    mesh.be_member ();
    for (std::size_t i = 0; i < 10 * spot_actions_max; ++i)
        mesh.told_of (0, 2, std::to_string (i));
    EXPECT_LE (mesh.take_actions ().size (), spot_actions_max + 2);
    mesh.told_of (0, 2, "two");
    EXPECT_NE (todo (mesh).find ("dial two; "), std::string::npos);
}

TEST (SpotMesh, KnowsABoundedNumberOfNodes)
{
    spot_mesh mesh (1);
    mesh.be_member ();
    for (std::uint64_t node = 2; node < spot_nodes_max + 100; ++node)
        mesh.present (0, node, "");
    EXPECT_EQ (mesh.present_count (), spot_nodes_max);
}

}  // namespace
}  // namespace zlink::service
