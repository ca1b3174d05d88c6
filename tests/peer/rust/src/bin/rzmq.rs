//! Sockets of the crate rzmq.

use std::time::Duration;

use bytes::Bytes;
use peers::{kind, option, run, settled, told, Outcome, Value};
use rzmq::socket::options as own;
use rzmq::{Context, Msg, MsgFlags, Socket, SocketType, ZmqError};
use tokio::runtime::Runtime;
use tokio::time::timeout;

const CLOSED_WITHIN: Duration = Duration::from_secs(2);

struct Peer {
    runtime: Runtime,
    context: Context,
    it: Socket,
    kind: u32,
}

fn type_of(kind: u32) -> Outcome<SocketType> {
    Ok(match kind {
        kind::PUB => SocketType::Pub,
        kind::SUB => SocketType::Sub,
        kind::REQ => SocketType::Req,
        kind::REP => SocketType::Rep,
        kind::DEALER => SocketType::Dealer,
        kind::ROUTER => SocketType::Router,
        kind::PUSH => SocketType::Push,
        kind::PULL => SocketType::Pull,
        _ => return Err(format!("no type {kind}")),
    })
}

/// Some of its options have other numbers than libzmq's.
fn own_number(option: u32) -> i32 {
    match option {
        option::HEARTBEAT_IVL => own::HEARTBEAT_IVL,
        option::HEARTBEAT_TTL => own::HEARTBEAT_TTL,
        option::HEARTBEAT_TIMEOUT => own::HEARTBEAT_TIMEOUT,
        other => other as i32,
    }
}

impl Peer {
    fn open(kind: u32) -> Outcome<Peer> {
        let runtime = told(tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build())?;
        let (context, it) = {
            let _inside = runtime.enter();
            let context = told(Context::new())?;
            let it = told(context.socket(type_of(kind)?))?;
            (context, it)
        };
        // Without this it hides the empty part in front of what a ROUTER or DEALER says.
        if matches!(kind, kind::ROUTER | kind::DEALER) {
            told(runtime.block_on(it.set_option(own::AUTO_DELIMITER, 0i32)))?;
        }
        Ok(Peer { runtime, context, it, kind })
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.runtime.block_on(async {
            let _ = self.it.close().await;
            timeout(CLOSED_WITHIN, self.context.term()).await
        });
    }
}

impl peers::Socket for Peer {
    fn set(&mut self, option: u32, value: Value) -> Outcome<()> {
        // It is always asked with the time that it may take.
        if matches!(option, option::RCVTIMEO | option::SNDTIMEO | option::ROUTER_HANDOVER) {
            return Ok(());
        }
        let number = own_number(option);
        told(match value {
            Value::Number(value) => self.runtime.block_on(self.it.set_option(number, value)),
            Value::Bytes(value) => self.runtime.block_on(self.it.set_option_raw(number, &value)),
        })
    }

    fn bind(&mut self, endpoint: &str) -> Outcome<String> {
        told(self.runtime.block_on(self.it.bind(&settled(endpoint))))?;
        let end = told(self.runtime.block_on(self.it.get_option(own::LAST_ENDPOINT)))?;
        Ok(told(String::from_utf8(end))?.trim_end_matches('\0').to_string())
    }

    fn connect(&mut self, endpoint: &str) -> Outcome<()> {
        told(self.runtime.block_on(self.it.connect(endpoint)))
    }

    fn send(&mut self, parts: Vec<Bytes>, within: Duration) -> Outcome<bool> {
        let last = parts.len().saturating_sub(1);
        let mut frames: Vec<Msg> = parts.into_iter().map(Msg::from_bytes).collect();
        // A ROUTER leaves the marks as they are.
        for frame in &mut frames[..last] {
            frame.set_flags(MsgFlags::MORE);
        }
        // A REQ takes nothing in parts.
        let outcome = if frames.len() == 1 && self.kind == kind::REQ {
            self.runtime.block_on(async { timeout(within, self.it.send(frames.remove(0))).await })
        } else {
            self.runtime.block_on(async { timeout(within, self.it.send_multipart(frames)).await })
        };
        match outcome {
            Ok(Ok(())) => Ok(true),
            Err(_) | Ok(Err(ZmqError::Timeout | ZmqError::ResourceLimitReached)) => Ok(false),
            Ok(Err(why)) => Err(why.to_string()),
        }
    }

    fn receive(&mut self, within: Duration) -> Outcome<Option<Vec<Bytes>>> {
        match self.runtime.block_on(async { timeout(within, self.it.recv_multipart()).await }) {
            Ok(Ok(frames)) => Ok(Some(frames.iter().map(|frame| frame.data_bytes().unwrap_or_default()).collect())),
            Err(_) | Ok(Err(ZmqError::Timeout)) => Ok(None),
            Ok(Err(why)) => Err(why.to_string()),
        }
    }

    fn receives(&self) -> bool {
        !matches!(self.kind, kind::PUB | kind::PUSH)
    }
}

fn main() {
    run(Peer::open);
}
