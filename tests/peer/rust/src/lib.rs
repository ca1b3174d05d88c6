//! What the peers in Rust have in common: the process of remote.py, and the echo of conversations.py when there are
//! arguments.

use std::collections::{HashMap, VecDeque};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::time::Duration;

use bytes::Bytes;

const FIELDS_MAX: u32 = 10_000;
/// As long as a call of ours waits, see ours.py.
pub const PATIENCE: Duration = Duration::from_secs(20);
const FOR_EVER: Duration = Duration::from_secs(24 * 3600);
/// The receiving side's next look when it may not wait.
const NOW: Duration = Duration::ZERO;

/// libzmq's numbers.
pub mod kind {
    pub const PAIR: u32 = 0;
    pub const PUB: u32 = 1;
    pub const SUB: u32 = 2;
    pub const REQ: u32 = 3;
    pub const REP: u32 = 4;
    pub const DEALER: u32 = 5;
    pub const ROUTER: u32 = 6;
    pub const PULL: u32 = 7;
    pub const PUSH: u32 = 8;
    pub const XPUB: u32 = 9;
    pub const XSUB: u32 = 10;
    pub const SERVER: u32 = 12;
    pub const CLIENT: u32 = 13;
    pub const RADIO: u32 = 14;
    pub const DISH: u32 = 15;
    pub const GATHER: u32 = 16;
    pub const SCATTER: u32 = 17;
    pub const PEER: u32 = 19;
    pub const CHANNEL: u32 = 20;
}

pub mod option {
    pub const ROUTING_ID: u32 = 5;
    pub const SUBSCRIBE: u32 = 6;
    pub const UNSUBSCRIBE: u32 = 7;
    pub const LINGER: u32 = 17;
    pub const SNDHWM: u32 = 23;
    pub const RCVHWM: u32 = 24;
    pub const RCVTIMEO: u32 = 27;
    pub const SNDTIMEO: u32 = 28;
    pub const XPUB_VERBOSE: u32 = 40;
    pub const IPV6: u32 = 42;
    pub const PLAIN_SERVER: u32 = 44;
    pub const PLAIN_USERNAME: u32 = 45;
    pub const PLAIN_PASSWORD: u32 = 46;
    pub const CURVE_SERVER: u32 = 47;
    pub const CURVE_PUBLICKEY: u32 = 48;
    pub const CURVE_SECRETKEY: u32 = 49;
    pub const CURVE_SERVERKEY: u32 = 50;
    pub const REQ_CORRELATE: u32 = 52;
    pub const REQ_RELAXED: u32 = 53;
    pub const CONFLATE: u32 = 54;
    pub const ROUTER_HANDOVER: u32 = 56;
    pub const XPUB_NODROP: u32 = 69;
    pub const HEARTBEAT_IVL: u32 = 75;
    pub const HEARTBEAT_TTL: u32 = 76;
    pub const HEARTBEAT_TIMEOUT: u32 = 77;
    pub const XPUB_VERBOSER: u32 = 78;
}

/// What went wrong, for whoever reads the test's output.
pub type Outcome<T> = Result<T, String>;

/// Any error as its text.
pub fn told<T, E: std::fmt::Display>(outcome: Result<T, E>) -> Outcome<T> {
    outcome.map_err(|error| error.to_string())
}

/// A socket of the library under test. Options come before anything that needs it made, but for subscriptions.
pub trait Socket {
    fn set(&mut self, option: u32, value: Value) -> Outcome<()>;
    /// The endpoint it got.
    fn bind(&mut self, endpoint: &str) -> Outcome<String>;
    fn connect(&mut self, endpoint: &str) -> Outcome<()>;
    /// The number of the peer there.
    fn connect_peer(&mut self, _endpoint: &str) -> Outcome<u32> {
        Err("no numbers of peers".into())
    }
    /// False when there was no room for so long.
    fn send(&mut self, parts: Vec<Bytes>, within: Duration) -> Outcome<bool>;
    /// None when nothing came for so long; then nothing is lost.
    fn receive(&mut self, within: Duration) -> Outcome<Option<Vec<Bytes>>>;
    fn receives(&self) -> bool;
    fn join(&mut self, _group: Bytes) -> Outcome<()> {
        Err("no groups".into())
    }
    fn leave(&mut self, _group: Bytes) -> Outcome<()> {
        Err("no groups".into())
    }
}

#[derive(Clone, Debug)]
pub enum Value {
    Number(i32),
    Bytes(Bytes),
}

impl Value {
    pub fn bytes(&self) -> Outcome<Bytes> {
        match self {
            Value::Bytes(some) => Ok(some.clone()),
            Value::Number(_) => Err("bytes are expected".into()),
        }
    }

    pub fn text(&self) -> Outcome<String> {
        told(String::from_utf8(self.bytes()?.to_vec()))
    }

    pub fn number(&self) -> Outcome<i32> {
        match self {
            Value::Number(number) => Ok(*number),
            Value::Bytes(_) => Err("a number is expected".into()),
        }
    }

    pub fn duration(&self) -> Outcome<Option<Duration>> {
        Ok(u64::try_from(self.number()?).ok().map(Duration::from_millis))
    }
}

/// A port of 0 for the wildcard of libzmq.
pub fn settled(endpoint: &str) -> String {
    match endpoint.strip_suffix(":*") {
        Some(front) => format!("{front}:0"),
        None => endpoint.to_string(),
    }
}

struct Slot<S> {
    socket: S,
    early: VecDeque<Vec<Bytes>>,
    /// In a message that has a group or a sender in front.
    front: Bytes,
    kind: u32,
}

enum Answer {
    Done(Vec<Bytes>),
    Nothing,
}

struct Sockets<S> {
    open: fn(u32) -> Outcome<S>,
    made: HashMap<u32, Slot<S>>,
    next: u32,
}

fn number(field: &Bytes) -> Outcome<u32> {
    told(text(field)?.parse())
}

fn text(field: &Bytes) -> Outcome<String> {
    told(String::from_utf8(field.to_vec()))
}

fn field(value: impl ToString) -> Bytes {
    Bytes::from(value.to_string())
}

impl<S: Socket> Slot<S> {
    fn wait(&mut self, within: Duration) {
        if !self.early.is_empty() || !self.socket.receives() {
            return;
        }
        // What goes wrong is told to whoever asks for a message.
        if let Ok(Some(parts)) = self.socket.receive(within) {
            self.early.push_back(parts);
        }
    }

    fn receive(&mut self) -> Outcome<Answer> {
        let got = match self.early.pop_front() {
            Some(parts) => Some(parts),
            None => self.socket.receive(NOW)?,
        };
        let Some(mut parts) = got else {
            return Ok(Answer::Nothing);
        };
        if matches!(self.kind, kind::SERVER | kind::PEER | kind::DISH) && parts.len() == 2 {
            self.front = parts.remove(0);
        }
        Ok(Answer::Done(parts))
    }

    fn send(&mut self, parts: Vec<Bytes>, at_once: bool) -> Outcome<Answer> {
        let within = if at_once { NOW } else { PATIENCE };
        Ok(if self.socket.send(parts, within)? { Answer::Done(vec![]) } else { Answer::Nothing })
    }

    fn served(&mut self, verb: &str, mut rest: Vec<Bytes>) -> Outcome<Answer> {
        match verb {
            "number" => self.socket.set(number(&rest[0])?, Value::Number(told(text(&rest[1])?.parse())?))?,
            "bytes" => self.socket.set(number(&rest[0])?, Value::Bytes(rest[1].clone()))?,
            "bind" => return Ok(Answer::Done(vec![field(self.socket.bind(&text(&rest[0])?)?)])),
            "connect" => {
                self.socket.connect(&text(&rest[0])?)?;
                return Ok(Answer::Done(rest));
            }
            "connect_peer" => return Ok(Answer::Done(vec![field(self.socket.connect_peer(&text(&rest[0])?)?)])),
            "send" => {
                let at_once = number(&rest.remove(0))? != 0;
                return self.send(rest, at_once);
            }
            "send_to" | "send_group" => return self.send(rest, false),
            "receive" => return self.receive(),
            "sender" | "group" => return Ok(Answer::Done(vec![self.front.clone()])),
            "wait" => self.wait(Duration::from_millis(u64::from(number(&rest[0])?))),
            "join" => self.socket.join(rest.remove(0))?,
            "leave" => self.socket.leave(rest.remove(0))?,
            _ => return Err(format!("no verb {verb}")),
        }
        Ok(Answer::Done(vec![]))
    }
}

impl<S: Socket> Sockets<S> {
    fn served(&mut self, mut asked: Vec<Bytes>) -> Outcome<Answer> {
        let verb = text(&asked.remove(0))?;
        let index = number(&asked.remove(0))?;
        match verb.as_str() {
            "socket" => {
                self.next += 1;
                let slot = Slot { socket: (self.open)(index)?, early: VecDeque::new(), front: Bytes::new(), kind: index };
                self.made.insert(self.next, slot);
                Ok(Answer::Done(vec![field(self.next)]))
            }
            "close" => {
                self.made.remove(&index);
                Ok(Answer::Done(vec![]))
            }
            _ => self.made.get_mut(&index).ok_or("no such socket")?.served(&verb, asked),
        }
    }
}

fn read_number(from: &mut impl Read) -> io::Result<u32> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    Ok(u32::from_be_bytes(length))
}

fn read(from: &mut impl Read) -> io::Result<Vec<Bytes>> {
    let count = read_number(from)?;
    if count > FIELDS_MAX {
        return Err(io::Error::other(format!("{count} fields")));
    }
    let mut fields = Vec::new();
    for _ in 0..count {
        let mut some = vec![0; read_number(from)? as usize];
        from.read_exact(&mut some)?;
        fields.push(Bytes::from(some));
    }
    Ok(fields)
}

fn write(to: &mut impl Write, fields: &[Bytes]) -> io::Result<()> {
    to.write_all(&(fields.len() as u32).to_be_bytes())?;
    for each in fields {
        to.write_all(&(each.len() as u32).to_be_bytes())?;
        to.write_all(each)?;
    }
    to.flush()
}

fn serve<S: Socket>(open: fn(u32) -> Outcome<S>) -> io::Result<()> {
    let (mut from, mut to) = (BufReader::new(io::stdin()), BufWriter::new(io::stdout()));
    let mut all = Sockets { open, made: HashMap::new(), next: 0 };
    loop {
        let answer = match all.served(read(&mut from)?) {
            Ok(Answer::Done(found)) => [vec![field("done")], found].concat(),
            Ok(Answer::Nothing) => vec![field("nothing")],
            Err(why) => vec![field("wrong"), field(why)],
        };
        write(&mut to, &answer)?;
    }
}

fn attach<S: Socket>(socket: &mut S, how: &str, endpoint: &str) -> Outcome<()> {
    if how == "connect" {
        return socket.connect(endpoint);
    }
    println!("bound {}", socket.bind(endpoint)?);
    told(io::stdout().flush())
}

fn pass_on<S: Socket>(source: &mut S) -> Outcome<Vec<Bytes>> {
    source.receive(FOR_EVER)?.ok_or_else(|| "nothing for a day".into())
}

fn echo<S: Socket>(open: fn(u32) -> Outcome<S>, pattern: &str, ends: &[String]) -> Outcome<()> {
    if pattern == "pair" {
        let mut both = open(kind::PAIR)?;
        attach(&mut both, &ends[0], &ends[1])?;
        loop {
            let parts = pass_on(&mut both)?;
            both.send(parts, FOR_EVER)?;
        }
    }
    let (mut source, mut sink) = (open(kind::PULL)?, open(kind::PUSH)?);
    attach(&mut source, &ends[0], &ends[1])?;
    attach(&mut sink, &ends[2], &ends[3])?;
    loop {
        let parts = pass_on(&mut source)?;
        sink.send(parts, FOR_EVER)?;
    }
}

/// The program.
pub fn run<S: Socket>(open: fn(u32) -> Outcome<S>) {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.is_empty() {
        // The end of the input is the end.
        let _ = serve(open);
    } else if let Err(why) = echo(open, &arguments[0], &arguments[1..]) {
        eprintln!("{why}");
        std::process::exit(1);
    }
}
