// Subscribers that do not keep up: what becomes of messages for which their queues have no
// room, and how they are told. Each has room for two of five.
#include <stdio.h>
#include <string.h>

#include <zlink/zlink.h>

enum
{
    ROOM = 2,
    PATIENCE_MS = 30000
};

static int fail (const char *what)
{
    fprintf (stderr, "%s: %s\n", what, zlink_strerror (zlink_errno ()));
    return 1;
}

static const struct
{
    int policy;
    const char *name, *expected;
} slow[] = {
  {ZLINK_SPOT_DROP_NEWEST, "drop newest", "1 2 (3 missing) "},
  {ZLINK_SPOT_DROP_OLDEST, "drop oldest", "(3 missing) 4 5 "},
  {ZLINK_SPOT_CONFLATE, "conflate", "5 "},
  {ZLINK_SPOT_DISCONNECT, "disconnect", "1 2 (the end) "},
};
enum
{
    SLOW = sizeof slow / sizeof slow[0]
};

// What is there, as a text.
static void read_all (void *sub, char *text, size_t room)
{
    zlink_spot_message_t got = {.size = sizeof got};
    size_t used = 0;
    while (zlink_spot_sub_next (sub, &got, 0) == 0)
        if (got.gap == ZLINK_SPOT_GAP_NONE)
            used += (size_t)snprintf (text + used, room - used, "%.*s ", (int)got.body_size,
                                      (const char *)got.body);
        else
            used += (size_t)snprintf (text + used, room - used, "(%d missing) ", (int)got.missing);
    if (zlink_errno () == ECONNABORTED)  // EAGAIN else
        snprintf (text + used, room - used, "(the end) ");
}

int main (void)
{
    int wrong = 0;
    zlink_spot_message_t got = {.size = sizeof got};
    void *context = zlink_ctx_new (), *node = zlink_spot_node_new (context);
    void *pub = zlink_spot_pub_new (node), *prompt = zlink_spot_sub_new (node), *subs[SLOW];

    for (int i = 0; i < (int)SLOW; ++i) {
        subs[i] = zlink_spot_sub_new (node);
        if (zlink_spot_sub_set_policy (subs[i], slow[i].policy, ROOM) != 0
            || zlink_spot_sub_subscribe (subs[i], "price") != 0)
            return fail ("subscribe");
    }
    if (zlink_spot_sub_subscribe (prompt, "price") != 0)
        return fail ("subscribe");
    for (const char *each = "12345"; *each != 0; ++each)
        if (zlink_spot_pub_send (pub, "price", each, 1) != 0)
            return fail ("publish");
    for (int i = 0; i < 5; ++i)  // who receives reads for all of the node
        if (zlink_spot_sub_next (prompt, &got, PATIENCE_MS) != 0)
            return fail ("receive");
    for (int i = 0; i < (int)SLOW; ++i) {
        char text[256] = "";
        read_all (subs[i], text, sizeof text);
        printf ("%s: %s\n", slow[i].name, text);
        wrong += strcmp (text, slow[i].expected) != 0;
        zlink_spot_sub_destroy (&subs[i]);
    }

    zlink_spot_sub_destroy (&prompt);
    zlink_spot_pub_destroy (&pub);
    zlink_spot_node_destroy (&node);
    zlink_ctx_term (context);
    return wrong;
}
