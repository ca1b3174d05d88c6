#include <stdio.h>
#include <stdlib.h>

#include "program.h"

void expect (int holds, const char *what)
{
    if (holds)
        return;
    fprintf (stderr, "%s: %s\n", what, zlink_strerror (zlink_errno ()));
    exit (1);
}

int main (void)
{
    int major, minor, patch;
    void *context = zlink_ctx_new ();
    zlink_version (&major, &minor, &patch);
    expect (context != NULL && major >= 2, "version");
    use_utilities ();
    set_context_options ();
    talk_over_sockets (context);
    watch_and_list_peers (context);
    set_every_option (context);
    forward (context);
    look_for_services (context);
    ask_services (context);
    share_topics (context);
    expect (zlink_ctx_shutdown (context) == 0, "shutdown");
    expect (zlink_socket (context, ZLINK_PAIR) == NULL && zlink_errno () == ETERM,
            "a socket after the shutdown");
    expect (zlink_ctx_term (context) == 0, "term");
    return 0;
}
