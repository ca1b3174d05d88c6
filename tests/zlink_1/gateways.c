#include <stdlib.h>
#include <string.h>

#include "program.h"

/* Gateways and receivers as zlink 1.x documents them: a registry in between, and sockets
 * from which a receiver's program reads and to which it writes. */

static void send_text (void *gateway, const char *service, const char *text)
{
    zlink_msg_t parts[2];
    zlink_msg_init_buffer (&parts[0], text, strlen (text));
    zlink_msg_init_buffer (&parts[1], "!", 1);
    expect (zlink_gateway_send (gateway, service, parts, 2, 0) == 0, "gateway_send");
}

/* One message of the receiver's socket goes back to where it came from. */
static void answer_once (void *router)
{
    zlink_msg_t parts[3];
    size_t count = 3;
    int i;
    for (i = 0; i < 3; ++i)
        zlink_msg_init (&parts[i]);
    expect (zlink_recvv (router, parts, &count, 0) == 3 && count == 3, "the receiver's socket");
    expect (zlink_sendv (router, parts, 3, 0) == 3, "an answer over it");
    for (i = 0; i < 3; ++i)
        zlink_msg_close (&parts[i]);
}

static void expect_answer (void *gateway, const char *text)
{
    zlink_msg_t *parts = NULL;
    size_t count = 0;
    char service[256];
    expect (zlink_gateway_recv (gateway, &parts, &count, 0, service) == 0, "gateway_recv");
    expect (count == 2 && zlink_msg_size (&parts[0]) == strlen (text)
              && memcmp (zlink_msg_data (&parts[0]), text, strlen (text)) == 0,
            "what came back");
    expect (strcmp (service, "svc.echo") == 0, "of which service");
    zlink_msgv_close (parts, count);
}

static void talk_as_before (void *context, void *discovery, const char *where)
{
    void *receiver = zlink_receiver_new (context, "echo-1");
    void *gateway = zlink_gateway_new (context, discovery, "gateway-1");
    zlink_receiver_info_t found;
    size_t count = 1;
    int status = -1;
    char resolved[256], error[256];
    int hwm = 100;
    expect (receiver != NULL && gateway != NULL, "new");
    expect (zlink_receiver_setsockopt (receiver, ZLINK_RECEIVER_SOCKET_ROUTER, ZLINK_SNDHWM, &hwm, sizeof hwm)
              == 0,
            "receiver_setsockopt");
    expect (zlink_receiver_set_tls_server (receiver, NULL, NULL) == 0, "set_tls_server");
    expect (zlink_receiver_bind (receiver, "tcp://127.0.0.1:*") == 0, "receiver_bind");
    expect (zlink_receiver_connect_registry (receiver, where) == 0, "receiver_connect_registry");
    expect (zlink_receiver_register (receiver, "svc.echo", NULL, 1) == 0, "receiver_register");
    expect (zlink_receiver_register_result (receiver, "svc.echo", &status, resolved, error) == 0
              && status == 0 && error[0] == '\0' && strncmp (resolved, "tcp://127.0.0.1:", 16) == 0,
            "register_result");
    expect (zlink_receiver_update_weight (receiver, "svc.echo", 2) == 0, "update_weight");
    expect (zlink_gateway_setsockopt (gateway, ZLINK_SNDHWM, &hwm, sizeof hwm) == 0, "gateway_setsockopt");
    expect (zlink_gateway_set_tls_client (gateway, NULL, NULL, 1) == 0, "set_tls_client");
    expect (zlink_gateway_set_lb_strategy (gateway, "svc.echo", ZLINK_GATEWAY_LB_WEIGHTED) == 0,
            "set_lb_strategy");
    send_text (gateway, "svc.echo", "hello");
    expect (zlink_gateway_connection_count (gateway, "svc.echo") == 1, "connection_count");
    answer_once (zlink_receiver_router (receiver));
    expect_answer (gateway, "hello");

    expect (zlink_discovery_subscribe (discovery, "svc.echo") == 0, "subscribe");
    expect (zlink_discovery_wait (discovery, "svc.echo", 1, 10000) == 0, "wait");
    expect (zlink_discovery_get_receivers (discovery, "svc.echo", &found, &count) == 0 && count == 1,
            "get_receivers");
    {
        zlink_msg_t parts[2];
        zlink_msg_init_buffer (&parts[0], "to you", 6);
        zlink_msg_init_buffer (&parts[1], "!", 1);
        expect (zlink_gateway_send_rid (gateway, "svc.echo", &found.routing_id, parts, 2, 0) == 0,
                "send_rid");
    }
    answer_once (zlink_receiver_router (receiver));
    {
        zlink_msg_t parts[3];
        void *router = zlink_gateway_router (gateway);
        int i;
        count = 3;
        for (i = 0; i < 3; ++i)
            zlink_msg_init (&parts[i]);
        expect (router != NULL && zlink_recvv (router, parts, &count, 0) == 3 && count == 3,
                "gateway_router");
        for (i = 0; i < 3; ++i)
            zlink_msg_close (&parts[i]);
    }
    expect (zlink_receiver_unregister (receiver, "svc.echo") == 0, "unregister");
    expect (zlink_receiver_destroy (&receiver) == 0 && receiver == NULL, "receiver_destroy");
    expect (zlink_gateway_destroy (&gateway) == 0 && gateway == NULL, "gateway_destroy");
}

/* Requests, which zlink 1.x has not. */

static void serve_two (void *receiver)
{
    zlink_request_t *request = NULL;
    zlink_msg_t *parts;
    size_t count, key_size;
    expect (zlink_receiver_recv (receiver, &request, 10000) == 0, "receiver_recv");
    parts = zlink_request_parts (request, &count);
    expect (count == 1 && strcmp (zlink_request_service (request), "svc.calc") == 0
              && !zlink_request_one_way (request) && zlink_request_wanted (request)
              && zlink_request_traceparent (request)[0] == '\0'
              && zlink_request_key (request, &key_size) != NULL && key_size == 3,
            "what a request tells");
    expect (zlink_request_reply (&request, parts, count) == 0 && request == NULL, "request_reply");
    expect (zlink_receiver_recv (receiver, &request, 10000) == 0, "receiver_recv again");
    expect (zlink_request_fail (&request, ZLINK_FAILURE_REJECTED, 7, "no") == 0 && request == NULL,
            "request_fail");
    zlink_request_close (&request);
}

static void told (uint64_t id, zlink_reply_t *reply, void *hint)
{
    (void)id;
    *(int *)hint = reply->status == ZLINK_REQUEST_REPLIED ? 1 : -1;
}

static void ask (void *context)
{
    void *receiver = zlink_receiver_new (context, NULL);
    void *gateway = zlink_gateway_new (context, NULL, NULL);
    void *thread;
    char where[256];
    size_t size = sizeof where;
    const char *endpoints[1];
    zlink_request_options_t options;
    zlink_reply_t reply;
    zlink_msg_t part;
    uint64_t id = 0;
    int outcome = 0;
    expect (zlink_receiver_bind (receiver, "tcp://127.0.0.1:*") == 0, "bind");
    expect (zlink_receiver_endpoint (receiver, where, &size) == 0, "receiver_endpoint");
    expect (zlink_receiver_register (receiver, "svc.calc", NULL, 1) == 0, "register without a registry");
    endpoints[0] = where;
    expect (zlink_gateway_set_providers (gateway, "svc.calc", endpoints, NULL, 1) == 0, "set_providers");
    memset (&options, 0, sizeof options);
    options.size = sizeof options;
    options.timeout_ms = 10000;
    options.key = "key";
    options.key_size = 3;
    thread = zlink_threadstart (serve_two, receiver);
    zlink_msg_init_buffer (&part, "question", 8);
    expect (zlink_gateway_request (gateway, "svc.calc", &part, 1, &options, &reply) == 0, "request");
    expect (reply.status == ZLINK_REQUEST_REPLIED && reply.count == 1
              && zlink_msg_size (&reply.parts[0]) == 8,
            "its reply");
    zlink_reply_close (&reply);
    expect (zlink_msg_size (&part) == 0, "the parts are taken");
    expect (zlink_gateway_request (gateway, "svc.calc", &part, 1, &options, &reply) == -1
              && zlink_errno () == ECONNREFUSED && reply.status == ZLINK_REQUEST_REFUSED && reply.detail == 7
              && strcmp (reply.text, "no") == 0,
            "a refusal");
    zlink_threadclose (thread);
    expect (zlink_gateway_request_async (gateway, "svc.none", &part, 1, &options, told, &outcome, &id) == 0,
            "async");
    expect (zlink_gateway_cancel (gateway, id) == 0, "cancel");
    expect (zlink_receiver_drain (receiver, 10000) == 0, "drain");
    expect (zlink_gateway_destroy (&gateway) == 0 && outcome == -1, "its handler was called");
    expect (zlink_receiver_destroy (&receiver) == 0, "destroy");
    zlink_msg_close (&part);
}

void ask_services (void *context)
{
    void *registry = zlink_registry_new (context);
    void *discovery = zlink_discovery_new_typed (context, ZLINK_SERVICE_GATEWAY);
    char where[256];
    size_t size = sizeof where;
    expect (zlink_registry_bind (registry, "tcp://127.0.0.1:*") == 0
              && zlink_registry_endpoint (registry, where, &size) == 0,
            "a registry");
    expect (zlink_discovery_connect_registry (discovery, where) == 0, "discovery_connect_registry");
    talk_as_before (context, discovery, where);
    ask (context);
    expect (zlink_discovery_destroy (&discovery) == 0, "discovery_destroy");
    expect (zlink_registry_destroy (&registry) == 0, "registry_destroy");
}
