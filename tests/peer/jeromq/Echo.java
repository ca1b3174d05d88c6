// An echo on JeroMQ, ZeroMQ written anew in Java; the contract is in
// conversations.py.

import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;
import org.zeromq.ZMsg;

public final class Echo
{
    private Echo () {}

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
            ZMQ.Socket source = context.createSocket (pair ? SocketType.PAIR : SocketType.PULL);
            ZMQ.Socket sink = pair ? source : context.createSocket (SocketType.PUSH);
            attach (source, arguments[1], arguments[2]);
            if (!pair)
                attach (sink, arguments[3], arguments[4]);
            for (ZMsg message = ZMsg.recvMsg (source); message != null; message = ZMsg.recvMsg (source))
                message.send (sink);
        }
    }
}
