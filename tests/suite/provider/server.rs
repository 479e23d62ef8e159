//! A scripted chat server: real HTTP over TCP on 127.0.0.1, as strict, slow, cut or odd as a test wants.
//!
//! It runs on plain threads, so that it serves async tests and whole processes alike. Each connection carries one
//! request. The rule of a server sees the number of the chat request (from 0) and the request, and says the answer.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Longest wait for anything in a test.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// A request as it came.
#[derive(Debug, Clone)]
pub struct Request {
    /// `GET`, `POST`.
    pub method: String,
    /// Path with query.
    pub path: String,
    /// Headers with lower-case names.
    pub headers: Vec<(String, String)>,
    /// The body as JSON; null when there is none.
    pub body: Value,
}

impl Request {
    /// Value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
    }
}

/// A gate that a test opens; an answer waits at it.
#[derive(Debug, Clone, Default)]
pub struct Gate(Arc<(Mutex<bool>, Condvar)>);

impl Gate {
    /// Lets everybody through, now and later.
    pub fn open(&self) {
        *self.0.0.lock().unwrap() = true;
        self.0.1.notify_all();
    }

    fn pass(&self) {
        let guard = self.0.0.lock().unwrap();
        let _ = self.0.1.wait_timeout_while(guard, PATIENCE, |open| !*open).unwrap();
    }
}

#[derive(Debug, Clone)]
enum Act {
    Send(Vec<u8>),
    Wait(Gate),
    /// Until the client closes.
    Hang,
}

/// What the server does with a connection; ends by closing it.
#[derive(Debug, Clone, Default)]
pub struct Answer(Vec<Act>);

impl Answer {
    /// Nothing is answered: the connection is closed at once.
    pub fn nothing() -> Self {
        Self::default()
    }

    /// Head of an event stream that ends with the connection.
    pub fn stream() -> Self {
        Self::head(200, &[("content-type", "text/event-stream")])
    }

    /// Status line and headers.
    pub fn head(status: u16, headers: &[(&str, &str)]) -> Self {
        let mut head = format!("HTTP/1.1 {status} Said\r\nconnection: close\r\n");
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        Self::default().raw(head.as_bytes())
    }

    /// A whole answer with a body.
    pub fn body(status: u16, headers: &[(&str, &str)], body: &str) -> Self {
        Self::head(status, headers).raw(body.as_bytes())
    }

    /// A whole JSON answer.
    pub fn json(status: u16, body: &Value) -> Self {
        let body = body.to_string();
        Self::body(status, &[("content-type", "application/json")], &body)
    }

    /// A whole event stream of `chunks` with `[DONE]`.
    pub fn chunks(chunks: &[Value]) -> Self {
        chunks.iter().fold(Self::stream(), |a, c| a.data(c)).done()
    }

    /// A whole streamed reply in text.
    pub fn text(text: &str) -> Self {
        Self::chunks(&[
            json!({"id": "c1", "object": "chat.completion.chunk", "model": "stub", "choices": [
                {"index": 0, "delta": {"role": "assistant", "content": null}, "finish_reason": null}]}),
            json!({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": null}]}),
            json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}),
            json!({"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}}),
        ])
    }

    /// A whole streamed reply with tool calls: (id, name, arguments).
    pub fn calls(calls: &[(&str, &str, Value)]) -> Self {
        Self::counted_calls(calls, 10, 5)
    }

    /// The same with what the server counted of prompt and reply.
    pub fn counted_calls(calls: &[(&str, &str, Value)], prompt: u64, completion: u64) -> Self {
        let calls: Vec<Value> = calls
            .iter()
            .enumerate()
            .map(|(index, (id, name, arguments))| {
                json!({"index": index, "id": id, "type": "function",
                    "function": {"name": name, "arguments": arguments.to_string()}})
            })
            .collect();
        Self::chunks(&[
            json!({"model": "stub", "choices": [{"index": 0, "delta": {"tool_calls": calls}}]}),
            json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}),
            json!({"choices": [], "usage": {"prompt_tokens": prompt, "completion_tokens": completion,
                "total_tokens": prompt + completion}}),
        ])
    }

    /// One event with JSON.
    pub fn data(self, chunk: &Value) -> Self {
        self.raw(format!("data: {chunk}\n\n").as_bytes())
    }

    /// `[DONE]`.
    pub fn done(self) -> Self {
        self.raw(b"data: [DONE]\n\n")
    }

    /// Bytes as they are.
    pub fn raw(mut self, bytes: &[u8]) -> Self {
        self.0.push(Act::Send(bytes.to_vec()));
        self
    }

    /// One chunk of a body with `transfer-encoding: chunked`.
    pub fn http_chunk(self, text: &str) -> Self {
        self.raw(format!("{:x}\r\n{text}\r\n", text.len()).as_bytes())
    }

    /// Waits until the test opens the gate.
    pub fn wait(mut self, gate: &Gate) -> Self {
        self.0.push(Act::Wait(gate.clone()));
        self
    }

    /// The events of another streamed answer behind what was sent so far.
    pub fn then(mut self, stream: Self) -> Self {
        // Its head is not sent a second time.
        self.0.extend(stream.0.into_iter().skip(1));
        self
    }

    /// Stays silent until the client closes.
    pub fn hang(mut self) -> Self {
        self.0.push(Act::Hang);
        self
    }
}

type Rule = dyn Fn(usize, &Request) -> Answer + Send + Sync;

#[derive(Default)]
struct Shared {
    requests: Mutex<Vec<Request>>,
    chats: AtomicUsize,
    /// Connections that the client closed while the answer hung.
    left: AtomicUsize,
    stop: AtomicBool,
}

/// The server; it stops when dropped.
pub struct ChatServer {
    address: SocketAddr,
    shared: Arc<Shared>,
}

impl ChatServer {
    /// Starts on a free port. Paths that are no chat request get the rule's answer too, with the count so far.
    pub fn start(rule: impl Fn(usize, &Request) -> Answer + Send + Sync + 'static) -> Self {
        Self::on(TcpListener::bind("127.0.0.1:0").unwrap(), rule)
    }

    /// Gives answers as [`Self::script`], on a port that another server had, or that was left free.
    pub fn script_at(port: u16, answers: Vec<Answer>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
        Self::on(listener, move |n, _| answers[n.min(answers.len() - 1)].clone())
    }

    /// As [`Self::start`], on a port that another server had.
    pub fn start_at(port: u16, rule: impl Fn(usize, &Request) -> Answer + Send + Sync + 'static) -> Self {
        Self::on(TcpListener::bind(("127.0.0.1", port)).unwrap(), rule)
    }

    fn on(listener: TcpListener, rule: impl Fn(usize, &Request) -> Answer + Send + Sync + 'static) -> Self {
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared::default());
        let rule: Arc<Rule> = Arc::new(rule);
        let for_thread = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if for_thread.stop.load(Ordering::SeqCst) {
                    break;
                }
                let Ok(stream) = stream else { continue };
                let (shared, rule) = (Arc::clone(&for_thread), Arc::clone(&rule));
                std::thread::spawn(move || serve(stream, &shared, &*rule));
            }
        });
        Self { address, shared }
    }

    /// Gives these answers in order; the last one again for any further request.
    pub fn script(answers: Vec<Answer>) -> Self {
        Self::start(move |n, _| answers[n.min(answers.len() - 1)].clone())
    }

    /// Base URL, with `/v1`.
    pub fn base(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Port.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// All requests so far.
    pub fn requests(&self) -> Vec<Request> {
        self.shared.requests.lock().unwrap().clone()
    }

    /// Connections that the client closed while their answer hung.
    pub fn left_by_client(&self) -> usize {
        self.shared.left.load(Ordering::SeqCst)
    }
}

impl Drop for ChatServer {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::SeqCst);
        // Wakes the accepting thread.
        let _ = TcpStream::connect(self.address);
    }
}

/// Waits until `condition` holds, polling; fails loudly after [`PATIENCE`].
pub async fn until(what: &str, condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < PATIENCE, "never came true: {what}");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

fn serve(mut stream: TcpStream, shared: &Shared, rule: &Rule) {
    let _ = stream.set_read_timeout(Some(PATIENCE));
    let Some(request) = read_request(&mut stream) else {
        return;
    };
    let chat = request.path.ends_with("/chat/completions");
    let number =
        if chat { shared.chats.fetch_add(1, Ordering::SeqCst) } else { shared.chats.load(Ordering::SeqCst) };
    shared.requests.lock().unwrap().push(request.clone());
    for act in rule(number, &request).0 {
        match act {
            Act::Send(bytes) => {
                if stream.write_all(&bytes).and_then(|()| stream.flush()).is_err() {
                    return;
                }
            }
            Act::Wait(gate) => gate.pass(),
            Act::Hang => {
                let mut sink = [0u8; 64];
                match stream.read(&mut sink) {
                    Err(e)
                        if matches!(
                            e.kind(),
                            std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut
                        ) => {}
                    Ok(_) | Err(_) => {
                        shared.left.fetch_add(1, Ordering::SeqCst);
                    }
                }
            }
        }
    }
    let _ = stream.shutdown(Shutdown::Write);
    // Read what is left, so that closing does not reset what was sent.
    let mut sink = [0u8; 1024];
    while matches!(stream.read(&mut sink), Ok(n) if n > 0) {}
}

fn read_request(stream: &mut TcpStream) -> Option<Request> {
    let mut read = Vec::new();
    let mut piece = [0u8; 8192];
    let end = loop {
        if let Some(at) = read.windows(4).position(|w| w == b"\r\n\r\n") {
            break at;
        }
        match stream.read(&mut piece) {
            Ok(n) if n > 0 => read.extend_from_slice(&piece[..n]),
            Ok(_) | Err(_) => return None,
        }
    };
    let head = String::from_utf8_lossy(&read[..end]).into_owned();
    let mut lines = head.lines();
    let mut first = lines.next()?.split(' ');
    let (method, path) = (first.next()?.to_owned(), first.next()?.to_owned());
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(n, v)| (n.to_lowercase(), v.trim().to_owned()))
        .collect();
    let length: usize =
        headers.iter().find(|(n, _)| n == "content-length").and_then(|(_, v)| v.parse().ok()).unwrap_or(0);
    let mut body = read[end + 4..].to_vec();
    while body.len() < length {
        match stream.read(&mut piece) {
            Ok(n) if n > 0 => body.extend_from_slice(&piece[..n]),
            Ok(_) | Err(_) => return None,
        }
    }
    Some(Request { method, path, headers, body: serde_json::from_slice(&body).unwrap_or(Value::Null) })
}
