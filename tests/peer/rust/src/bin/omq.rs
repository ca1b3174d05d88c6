//! Sockets of the crate omq-tokio.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use bytes::Bytes;
use omq_tokio::blocking::Socket;
use omq_tokio::{
    Context, CurveKeypair, CurvePublicKey, CurveSecretKey, Error, Message, Options, ReconnectPolicy, SocketType, TrySendError,
};
use peers::{kind, option, run, settled, told, Outcome, Value, PATIENCE};

const RECONNECT: Duration = Duration::from_millis(20);

static CONTEXT: LazyLock<Context> = LazyLock::new(Context::new);

/// What it is to be, in libzmq's words, until it is made.
#[derive(Default)]
struct Security {
    plain_server: bool,
    plain: Option<(String, String)>,
    curve_server: bool,
    public_key: Option<String>,
    secret_key: Option<String>,
    server_key: Option<String>,
}

/// Its PEER calls others by names; libzmq's by numbers, which are places here, from 1 on.
#[derive(Default)]
struct Names(Vec<Bytes>);

impl Names {
    fn number(&mut self, name: &Bytes) -> usize {
        let known = self.0.iter().position(|each| each == name);
        1 + known.unwrap_or_else(|| {
            self.0.push(name.clone());
            self.0.len() - 1
        })
    }

    fn name(&self, number: usize) -> Outcome<Bytes> {
        self.0.get(number.wrapping_sub(1)).cloned().ok_or_else(|| format!("nobody is {number}"))
    }
}

struct Peer {
    kind: u32,
    options: Options,
    security: Security,
    topics: Vec<Bytes>,
    groups: Vec<Bytes>,
    names: Names,
    it: Option<Socket>,
}

fn type_of(kind: u32) -> Outcome<SocketType> {
    Ok(match kind {
        kind::PAIR => SocketType::Pair,
        kind::PUB => SocketType::Pub,
        kind::SUB => SocketType::Sub,
        kind::REQ => SocketType::Req,
        kind::REP => SocketType::Rep,
        kind::DEALER => SocketType::Dealer,
        kind::ROUTER => SocketType::Router,
        kind::PULL => SocketType::Pull,
        kind::PUSH => SocketType::Push,
        kind::XPUB => SocketType::XPub,
        kind::XSUB => SocketType::XSub,
        kind::SERVER => SocketType::Server,
        kind::CLIENT => SocketType::Client,
        kind::RADIO => SocketType::Radio,
        kind::DISH => SocketType::Dish,
        kind::GATHER => SocketType::Gather,
        kind::SCATTER => SocketType::Scatter,
        kind::PEER => SocketType::Peer,
        kind::CHANNEL => SocketType::Channel,
        _ => return Err(format!("no type {kind}")),
    })
}

impl Security {
    fn keys(&self) -> Outcome<CurveKeypair> {
        Ok(CurveKeypair {
            public: told(CurvePublicKey::from_z85(self.public_key.as_ref().ok_or("no public key")?))?,
            secret: told(CurveSecretKey::from_z85(self.secret_key.as_ref().ok_or("no secret key")?))?,
        })
    }

    fn applied(&self, options: Options) -> Outcome<Options> {
        let plain = self.plain.clone().unwrap_or_default();
        Ok(if self.plain_server {
            options.plain_server_credentials([plain])
        } else if self.plain.is_some() {
            options.plain_client(plain.0, plain.1)
        } else if self.curve_server {
            options.curve_server(self.keys()?)
        } else if let Some(server) = &self.server_key {
            options.curve_client(self.keys()?, told(CurvePublicKey::from_z85(server))?)
        } else {
            options
        })
    }
}

impl Peer {
    /// What a SERVER or a PEER sends goes to the number in front.
    fn addressed(&self, mut parts: Vec<Bytes>) -> Outcome<Message> {
        if !matches!(self.kind, kind::SERVER | kind::PEER) {
            return Ok(Message::multipart(parts));
        }
        let number: u32 = told(told(std::str::from_utf8(&parts[0]))?.parse())?;
        if self.kind == kind::PEER {
            parts[0] = self.names.name(number as usize)?;
            return Ok(Message::multipart(parts));
        }
        parts.remove(0);
        Ok(Message::multipart(parts).with_routing_id(number))
    }

    /// With the sender's number in front where there is one.
    fn parts_of(&mut self, message: Message) -> Vec<Bytes> {
        let sender = message.routing_id().map(|number| Bytes::from(number.to_string()));
        let mut parts: Vec<Bytes> = sender.into_iter().chain(message.iter()).collect();
        if self.kind == kind::PEER {
            parts[0] = Bytes::from(self.names.number(&parts[0]).to_string());
        }
        parts
    }

    /// What it calls who is at the endpoint, once they have shaken hands.
    fn name_of(&mut self, endpoint: &str) -> Outcome<Bytes> {
        let it = self.made()?;
        let until = Instant::now() + PATIENCE;
        loop {
            let seen = it.connections_generation();
            let all = told(it.connections())?;
            let there = all.into_iter().find(|each| each.peer_info.is_some() && each.endpoint.to_string() == endpoint);
            if let Some(found) = there {
                return Ok(found.identity);
            }
            told(it.connections_changed(seen, until.saturating_duration_since(Instant::now())))?;
        }
    }

    fn open(kind: u32) -> Outcome<Peer> {
        type_of(kind)?;
        let options = Options::default().reconnect(ReconnectPolicy::Fixed(RECONNECT));
        Ok(Peer { kind, options, security: Security::default(), topics: vec![], groups: vec![], names: Names::default(), it: None })
    }

    fn made(&mut self) -> Outcome<&Socket> {
        if self.it.is_none() {
            let options = self.security.applied(self.options.clone())?;
            let it = CONTEXT.blocking_socket(type_of(self.kind)?, options);
            for topic in self.topics.drain(..) {
                told(it.subscribe(topic))?;
            }
            for group in self.groups.drain(..) {
                told(it.join(group))?;
            }
            self.it = Some(it);
        }
        self.it.as_ref().ok_or_else(|| "unmade".into())
    }
}

impl peers::Socket for Peer {
    fn set(&mut self, option: u32, value: Value) -> Outcome<()> {
        match option {
            option::RCVTIMEO | option::SNDTIMEO | option::LINGER | option::IPV6 => {}
            // So it does anyway.
            option::ROUTER_HANDOVER | option::XPUB_VERBOSE | option::XPUB_VERBOSER => {}
            option::ROUTING_ID => self.options.identity = value.bytes()?,
            option::SNDHWM => self.options.send_hwm = value.number()?.unsigned_abs(),
            option::RCVHWM => self.options.recv_hwm = value.number()?.unsigned_abs(),
            option::CONFLATE => self.options.conflate = value.number()? != 0,
            option::XPUB_NODROP => self.options.xpub_nodrop = value.number()? != 0,
            option::HEARTBEAT_IVL => self.options.heartbeat_interval = value.duration()?,
            option::HEARTBEAT_TTL => self.options.heartbeat_ttl = value.duration()?,
            option::HEARTBEAT_TIMEOUT => self.options.heartbeat_timeout = value.duration()?,
            option::PLAIN_SERVER => self.security.plain_server = true,
            option::PLAIN_USERNAME => self.security.plain.get_or_insert_default().0 = value.text()?,
            option::PLAIN_PASSWORD => self.security.plain.get_or_insert_default().1 = value.text()?,
            option::CURVE_SERVER => self.security.curve_server = true,
            option::CURVE_PUBLICKEY => self.security.public_key = Some(value.text()?),
            option::CURVE_SECRETKEY => self.security.secret_key = Some(value.text()?),
            option::CURVE_SERVERKEY => self.security.server_key = Some(value.text()?),
            option::SUBSCRIBE if self.it.is_none() => self.topics.push(value.bytes()?),
            option::SUBSCRIBE => told(self.made()?.subscribe(value.bytes()?))?,
            option::UNSUBSCRIBE => told(self.made()?.unsubscribe(value.bytes()?))?,
            _ => return Err(format!("no option {option}")),
        }
        Ok(())
    }

    fn bind(&mut self, endpoint: &str) -> Outcome<String> {
        Ok(told(self.made()?.bind(settled(endpoint).as_str()))?.to_string())
    }

    fn connect(&mut self, endpoint: &str) -> Outcome<()> {
        told(self.made()?.connect(endpoint))
    }

    fn connect_peer(&mut self, endpoint: &str) -> Outcome<u32> {
        self.connect(endpoint)?;
        let name = self.name_of(endpoint)?;
        told(u32::try_from(self.names.number(&name)))
    }

    fn send(&mut self, parts: Vec<Bytes>, within: Duration) -> Outcome<bool> {
        let message = self.addressed(parts)?;
        let it = self.made()?;
        if within.is_zero() {
            return match it.try_send(message) {
                Ok(()) => Ok(true),
                Err(TrySendError::Full(_)) => Ok(false),
                Err(why) => Err(format!("{why:?}")),
            };
        }
        match it.send_timeout(message, within) {
            Ok(()) => Ok(true),
            Err(Error::Timeout) => Ok(false),
            Err(why) => Err(why.to_string()),
        }
    }

    fn receive(&mut self, within: Duration) -> Outcome<Option<Vec<Bytes>>> {
        match self.made()?.recv_timeout(within) {
            Ok(message) => Ok(Some(self.parts_of(message))),
            Err(Error::Timeout | Error::WouldBlock) => Ok(None),
            Err(why) => Err(why.to_string()),
        }
    }

    fn receives(&self) -> bool {
        !matches!(self.kind, kind::PUB | kind::PUSH | kind::RADIO | kind::SCATTER)
    }

    fn join(&mut self, group: Bytes) -> Outcome<()> {
        if self.it.is_none() {
            self.groups.push(group);
            return Ok(());
        }
        told(self.made()?.join(group))
    }

    fn leave(&mut self, group: Bytes) -> Outcome<()> {
        told(self.made()?.leave(group))
    }
}

fn main() {
    run(Peer::open);
}
