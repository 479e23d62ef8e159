//! `http_get` against a small server on this machine.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use serde_json::json;
use wakeful::tool::{Call, HttpArgs, HttpSettings, ToolResult, http_get};

use super::read_call;

/// Serves every connection with the bytes that `answer` gives for its path, until the test's process ends.
fn serve(answer: impl Fn(&str) -> Vec<u8> + Send + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { continue };
            let path = request_path(&stream);
            // A client that hangs up early is part of some tests.
            let _ = stream.write_all(&answer(&path));
        }
    });
    address
}

/// Reads the request's head and gives its method and path.
fn request_path(stream: &TcpStream) -> String {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let first = lines.next().unwrap_or_default();
    let _ = lines.take_while(|line| !line.is_empty()).count();
    first.rsplit_once(' ').map_or(String::new(), |(start, _)| start.to_owned())
}

fn page(head: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let mut page = format!("HTTP/1.1 {head}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len())
        .into_bytes();
    page.extend_from_slice(body);
    page
}

fn settings() -> HttpSettings {
    HttpSettings { timeout: Duration::from_secs(10), use_proxy: false, ..HttpSettings::default() }
}

fn get_with(url: &str, settings: &HttpSettings) -> ToolResult {
    let Call::HttpGet(args) = read_call("http_get", json!({"url": url}))? else { panic!() };
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
        .block_on(http_get(&args, settings))
}

fn get(url: &str) -> ToolResult {
    get_with(url, &settings())
}

fn kind(url: &str) -> String {
    get(url).unwrap_err().kind
}

#[test]
fn text_is_decoded_and_neutral() {
    let server = serve(|request| match request {
        "GET /plain" => page("200 OK\r\ncontent-type: text/plain", "hi \x1b]0;x\x07 你好\r\n"),
        "GET /json" => page("200 OK\r\ncontent-type: application/problem+json; charset=utf-8", "{\"a\":1}"),
        "GET /gbk" => page("200 OK\r\ncontent-type: text/html; charset=GBK", b"<p>\xc4\xe3\xba\xc3</p>"),
        "GET /bare" => page("200 OK", "no type"),
        _ => page("404 Not Found\r\ncontent-type: text/plain", "nothing here"),
    });
    let plain = get(&format!("http://{server}/plain")).unwrap();
    assert_eq!((plain.text.as_str(), plain.truncated), ("hi \\u{1b}]0;x\\u{7} 你好\n", None));
    assert_eq!(plain.meta["status"], json!(200));
    assert_eq!(get(&format!("http://{server}/json")).unwrap().text, "{\"a\":1}");
    assert_eq!(get(&format!("http://{server}/gbk")).unwrap().text, "<p>你好</p>");
    assert_eq!(get(&format!("http://{server}/bare")).unwrap().text, "no type");
    let missing = get(&format!("http://{server}/x")).unwrap_err();
    assert_eq!(missing.kind, "http_status");
    assert!(missing.message.contains("404") && missing.message.contains("nothing here"), "{missing}");
}

#[test]
fn binary_content_is_not_read() {
    let server = serve(|request| match request {
        "GET /png" => page("200 OK\r\ncontent-type: image/png", b"\x89PNG"),
        _ => page("200 OK", b"a\0b"),
    });
    assert_eq!(kind(&format!("http://{server}/png")), "binary_content");
    assert_eq!(kind(&format!("http://{server}/untyped")), "binary_content");
}

#[test]
fn a_long_body_is_cut_and_marked() {
    let server = serve(|request| match request {
        "GET /exact" => page("200 OK\r\ncontent-type: text/plain", "x".repeat(1000)),
        _ => page("200 OK\r\ncontent-type: text/plain", "展".repeat(1000)),
    });
    let small = HttpSettings { max_bytes: 1000, ..settings() };
    let long = get_with(&format!("http://{server}/long"), &small).unwrap();
    assert_eq!(long.truncated.unwrap().total_bytes, 3000);
    assert!(
        long.text.ends_with("[cut: the first 1000 bytes are shown, the document is longer]"),
        "{}",
        long.text
    );
    assert_eq!(get_with(&format!("http://{server}/exact"), &small).unwrap().truncated, None);
}

#[test]
fn redirects_are_followed_within_the_host_only() {
    let elsewhere = serve(|_| page("200 OK\r\ncontent-type: text/plain", "must not be asked"));
    let server = serve(move |request| match request {
        "GET /a" => page("302 Found\r\nlocation: /b", ""),
        "GET /b" => page("301 Moved\r\nlocation: c", ""),
        "GET /c" => page("200 OK\r\ncontent-type: text/plain", "arrived"),
        "GET /out" => page(&format!("302 Found\r\nlocation: http://{elsewhere}/x"), ""),
        "GET /file" => page("302 Found\r\nlocation: file:///etc/passwd", ""),
        _ => page("302 Found\r\nlocation: /loop", ""),
    });
    let arrived = get(&format!("http://{server}/a")).unwrap();
    assert_eq!(
        (arrived.text.as_str(), &arrived.meta["url"]),
        ("arrived", &json!(format!("http://{server}/c")))
    );
    let out = get(&format!("http://{server}/out")).unwrap_err();
    assert_eq!(out.kind, "redirected");
    assert!(out.message.contains(&format!("http://{elsewhere}/x")), "{out}");
    assert_eq!(kind(&format!("http://{server}/file")), "redirected");
    assert_eq!(kind(&format!("http://{server}/loop")), "too_many_redirects");
}

#[test]
fn addresses_that_are_not_http_are_refused() {
    for url in [
        "file:///etc/passwd",
        "ftp://a.example/",
        "no address",
        "data:text/plain,x",
        "http://me:pw@a.example/",
    ] {
        assert_eq!(kind(url), "invalid_arguments", "{url}");
    }
}

#[test]
fn failures_have_kinds() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    assert_eq!(kind(&format!("http://{closed}/")), "connect");
    let hung_up = serve(|_| Vec::new());
    assert_eq!(kind(&format!("http://{hung_up}/")), "network");
    let cut_off = serve(|_| b"HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\nhalf".to_vec());
    assert_eq!(kind(&format!("http://{cut_off}/")), "network");
    // Accepts and never answers: the listener's queue takes the connection.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let short = HttpSettings { timeout: Duration::from_millis(200), ..settings() };
    let url = format!("http://{}/", silent.local_addr().unwrap());
    assert_eq!(get_with(&url, &short).unwrap_err().kind, "timeout");
}

#[test]
fn only_the_address_is_an_argument() {
    assert!(read_call("http_get", json!({"url": "http://a.example/", "method": "POST"})).is_err());
    let args = HttpArgs { url: "http://a.example/".into() };
    assert_eq!(read_call("http_get", json!({"url": "http://a.example/"})).unwrap(), Call::HttpGet(args));
}
