// An echo on JeroMQ, ZeroMQ written anew in Java; the contract is in
// conversations.py.

import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;
import org.zeromq.ZMsg;

public final class Echo
{
    // A JeroMQ 0.6.0 that dials and reads its peer's greeting before it has sent
    // its own at times never sends it, whatever library listens. It notices when
    // this time is over and dials again; by default that takes 30 s.
    private static final int HANDSHAKE_MS = 500;

    private Echo () {}

    private static ZMQ.Socket open (ZContext context, SocketType type)
    {
        ZMQ.Socket socket = context.createSocket (type);
        socket.setHandshakeIvl (HANDSHAKE_MS);
        return socket;
    }

    private static void attach (ZMQ.Socket socket, String how, String endpoint)
    {
        if (how.equals ("connect")) {
            socket.connect (endpoint);
            return;
        }
        socket.bind (endpoint);
        System.out.println ("bound " + socket.getLastEndpoint ());
        System.out.flush ();
    }

    public static void main (String[] arguments)
    {
        try (ZContext context = new ZContext ()) {
            boolean pair = arguments[0].equals ("pair");
            ZMQ.Socket source = open (context, pair ? SocketType.PAIR : SocketType.PULL);
            ZMQ.Socket sink = pair ? source : open (context, SocketType.PUSH);
            attach (source, arguments[1], arguments[2]);
            if (!pair)
                attach (sink, arguments[3], arguments[4]);
            for (ZMsg message = ZMsg.recvMsg (source); message != null; message = ZMsg.recvMsg (source))
                message.send (sink);
        }
    }
}
