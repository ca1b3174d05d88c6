// The README's example: one socket pushes a line, another pulls it.
// begin-shown
#include <stdio.h>
#include <zlink/zlink.h>

int main (void)
{
    char endpoint[256], text[64];
    size_t endpoint_size = sizeof endpoint;
    void *context = zlink_ctx_new ();
    void *pull = zlink_socket (context, ZLINK_PULL);
    void *push = zlink_socket (context, ZLINK_PUSH);

    if (zlink_bind (pull, "tcp://127.0.0.1:*") != 0  // any free port
        || zlink_getsockopt (pull, ZLINK_LAST_ENDPOINT, endpoint, &endpoint_size) != 0
        || zlink_connect (push, endpoint) != 0 || zlink_send (push, "hello", 5, 0) != 5) {
        fprintf (stderr, "%s\n", zlink_strerror (zlink_errno ()));
        return 1;
    }
    int size = zlink_recv (pull, text, sizeof text, 0);  // blocks until it is there
    printf ("%.*s over %s\n", size, text, endpoint);
    zlink_close (push);
    zlink_close (pull);
    return zlink_ctx_term (context) == 0 && size == 5 ? 0 : 1;
}
// end-shown
