//! Sockets of the crate zeromq (zmq.rs).

use std::time::{Duration, Instant};

use bytes::Bytes;
use peers::{kind, option, run, settled, told, Outcome, Value};
use tokio::runtime::Runtime;
use tokio::time::timeout;
use zeromq::util::PeerIdentity;
use zeromq::{Socket, SocketOptions, SocketRecv, SocketSend, ZmqError, ZmqMessage, ZmqResult};

/// How soon a send that met nobody is tried again.
const AGAIN: Duration = Duration::from_millis(1);

enum Any {
    Pub(zeromq::PubSocket),
    Sub(zeromq::SubSocket),
    Req(zeromq::ReqSocket),
    Rep(zeromq::RepSocket),
    Dealer(zeromq::DealerSocket),
    Router(zeromq::RouterSocket),
    Pull(zeromq::PullSocket),
    Push(zeromq::PushSocket),
    XPub(zeromq::XPubSocket),
    XSub(zeromq::XSubSocket),
}

impl Any {
    fn new(kind: u32, options: SocketOptions) -> Outcome<Self> {
        Ok(match kind {
            kind::PUB => Any::Pub(Socket::with_options(options)),
            kind::SUB => Any::Sub(Socket::with_options(options)),
            kind::REQ => Any::Req(Socket::with_options(options)),
            kind::REP => Any::Rep(Socket::with_options(options)),
            kind::DEALER => Any::Dealer(Socket::with_options(options)),
            kind::ROUTER => Any::Router(Socket::with_options(options)),
            kind::PULL => Any::Pull(Socket::with_options(options)),
            kind::PUSH => Any::Push(Socket::with_options(options)),
            kind::XPUB => Any::XPub(Socket::with_options(options)),
            kind::XSUB => Any::XSub(Socket::with_options(options)),
            _ => return Err(format!("no type {kind}")),
        })
    }

    async fn bind(&mut self, endpoint: &str) -> Outcome<String> {
        told(match self {
            Any::Pub(it) => it.bind(endpoint).await,
            Any::Sub(it) => it.bind(endpoint).await,
            Any::Req(it) => it.bind(endpoint).await,
            Any::Rep(it) => it.bind(endpoint).await,
            Any::Dealer(it) => it.bind(endpoint).await,
            Any::Router(it) => it.bind(endpoint).await,
            Any::Pull(it) => it.bind(endpoint).await,
            Any::Push(it) => it.bind(endpoint).await,
            Any::XPub(it) => it.bind(endpoint).await,
            Any::XSub(it) => it.bind(endpoint).await,
        })
        .map(|end| end.to_string())
    }

    async fn connect(&mut self, endpoint: &str) -> ZmqResult<()> {
        match self {
            Any::Pub(it) => it.connect(endpoint).await,
            Any::Sub(it) => it.connect(endpoint).await,
            Any::Req(it) => it.connect(endpoint).await,
            Any::Rep(it) => it.connect(endpoint).await,
            Any::Dealer(it) => it.connect(endpoint).await,
            Any::Router(it) => it.connect(endpoint).await,
            Any::Pull(it) => it.connect(endpoint).await,
            Any::Push(it) => it.connect(endpoint).await,
            Any::XPub(it) => it.connect(endpoint).await,
            Any::XSub(it) => it.connect(endpoint).await,
        }
    }

    async fn send(&mut self, message: ZmqMessage) -> ZmqResult<()> {
        match self {
            Any::Pub(it) => it.send(message).await,
            Any::Req(it) => it.send(message).await,
            Any::Rep(it) => it.send(message).await,
            Any::Dealer(it) => it.send(message).await,
            Any::Router(it) => it.send(message).await,
            Any::Push(it) => it.send(message).await,
            Any::XPub(it) => it.send(message).await,
            Any::XSub(it) => it.send(message).await,
            Any::Sub(_) | Any::Pull(_) => Err(ZmqError::Other("only receives")),
        }
    }

    async fn receive(&mut self) -> ZmqResult<ZmqMessage> {
        match self {
            Any::Sub(it) => it.recv().await,
            Any::Req(it) => it.recv().await,
            Any::Rep(it) => it.recv().await,
            Any::Dealer(it) => it.recv().await,
            Any::Router(it) => it.recv().await,
            Any::Pull(it) => it.recv().await,
            Any::XPub(it) => it.recv().await,
            Any::XSub(it) => it.recv().await,
            Any::Pub(_) | Any::Push(_) => Err(ZmqError::Other("only sends")),
        }
    }

    async fn subscribe(&mut self, topic: &str, wanted: bool) -> ZmqResult<()> {
        match (self, wanted) {
            (Any::Sub(it), true) => it.subscribe(topic).await,
            (Any::Sub(it), false) => it.unsubscribe(topic).await,
            _ => Err(ZmqError::Other("no SUB")),
        }
    }
}

/// Made at the first call that needs it: its options are given then.
struct Peer {
    runtime: Runtime,
    kind: u32,
    options: SocketOptions,
    it: Option<Any>,
}

impl Peer {
    fn open(kind: u32) -> Outcome<Peer> {
        let runtime = told(tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build())?;
        Ok(Peer { runtime, kind, options: SocketOptions::default(), it: None })
    }

    fn made(&mut self) -> Outcome<(&Runtime, &mut Any)> {
        if self.it.is_none() {
            let _inside = self.runtime.enter();
            self.it = Some(Any::new(self.kind, std::mem::take(&mut self.options))?);
        }
        Ok((&self.runtime, self.it.as_mut().ok_or("unmade")?))
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _inside = self.runtime.enter();
        self.it = None;
    }
}

impl peers::Socket for Peer {
    fn set(&mut self, option: u32, value: Value) -> Outcome<()> {
        match option {
            option::LINGER | option::RCVTIMEO | option::SNDTIMEO => Ok(()),
            // So it does anyway.
            option::ROUTER_HANDOVER | option::XPUB_NODROP | option::XPUB_VERBOSE | option::XPUB_VERBOSER => Ok(()),
            option::ROUTING_ID => {
                self.options.peer_identity(told(PeerIdentity::try_from(value.bytes()?))?);
                Ok(())
            }
            option::SUBSCRIBE | option::UNSUBSCRIBE => {
                let topic = value.text()?;
                let (runtime, it) = self.made()?;
                told(runtime.block_on(it.subscribe(&topic, option == option::SUBSCRIBE)))
            }
            _ => Err(format!("no option {option}")),
        }
    }

    fn bind(&mut self, endpoint: &str) -> Outcome<String> {
        let (runtime, it) = self.made()?;
        runtime.block_on(it.bind(&settled(endpoint)))
    }

    fn connect(&mut self, endpoint: &str) -> Outcome<()> {
        let (runtime, it) = self.made()?;
        told(runtime.block_on(it.connect(endpoint)))
    }

    /// It does not wait for somebody to send to: that is done here.
    fn send(&mut self, parts: Vec<Bytes>, within: Duration) -> Outcome<bool> {
        let (runtime, it) = self.made()?;
        let until = Instant::now() + within;
        let mut message = told(ZmqMessage::try_from(parts))?;
        loop {
            let again = message.clone();
            let outcome = runtime.block_on(async { timeout(until - Instant::now().min(until), it.send(message)).await });
            match outcome {
                Ok(Ok(())) => return Ok(true),
                Err(_) => return Ok(false),
                Ok(Err(ZmqError::ReturnToSender { .. } | ZmqError::BufferFull(_))) if Instant::now() < until => {
                    message = again;
                    runtime.block_on(async { tokio::time::sleep(AGAIN).await });
                }
                Ok(Err(ZmqError::ReturnToSender { .. } | ZmqError::BufferFull(_))) => return Ok(false),
                Ok(Err(why)) => return Err(why.to_string()),
            }
        }
    }

    fn receive(&mut self, within: Duration) -> Outcome<Option<Vec<Bytes>>> {
        let (runtime, it) = self.made()?;
        match runtime.block_on(async { timeout(within, it.receive()).await }) {
            Ok(message) => Ok(Some(told(message)?.into_vec())),
            Err(_) => Ok(None),
        }
    }

    fn receives(&self) -> bool {
        !matches!(self.kind, kind::PUB | kind::PUSH)
    }
}

fn main() {
    run(Peer::open);
}
