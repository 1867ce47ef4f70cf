use std::sync::Arc;
use std::time::Duration;

use countersign_vault::Sensitive;
use futures_util::StreamExt;
use reqwest::header::{CONTENT_TYPE, RETRY_AFTER};
use reqwest::{Client, RequestBuilder, Response, Url};
use serde_json::Value;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::draft::{Decoder, Sink};
use crate::fault::{Fault, Who};
use crate::{Clock, ModelError, SystemClock, TurnReply};

/// How long a silent server is waited for. A model on a slow machine reads a long prompt for minutes without a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// Until the first byte of a reply.
    pub first: Duration,
    /// Between two bytes of it.
    pub next: Duration,
    /// For lists of models.
    pub list: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            first: Duration::from_secs(900),
            next: Duration::from_secs(180),
            list: Duration::from_secs(10),
        }
    }
}

const RETRIES: u32 = 2;
const LONGEST_WAIT: Duration = Duration::from_secs(20);
const FIRST_WAIT: Duration = Duration::from_millis(500);
const CONNECT: Duration = Duration::from_secs(10);
const MOST_ERROR_BYTES: usize = 64 << 10;

/// One server, and the rules for talking to it.
pub(crate) struct Http {
    pub(crate) base: Url,
    pub(crate) who: Who,
    pub(crate) key: Option<Sensitive<String>>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) patience: Patience,
    client: Client,
}

/// The address of a server, or what is wrong with it.
pub(crate) fn address(text: &str, server: &str) -> Result<Url, ModelError> {
    let wrong = |why: String| ModelError::Unreachable {
        server: server.to_owned(),
        why,
    };
    let text = text.trim().trim_end_matches('/');
    let url = Url::parse(text).map_err(|error| wrong(format!("“{text}” is not an address ({error})")))?;
    match url.scheme() {
        "http" | "https" if url.host_str().is_some() => Ok(url),
        _ => Err(wrong(format!("“{text}” is not an http or https address"))),
    }
}

impl Http {
    pub(crate) fn new(base: Url, who: Who, key: Option<Sensitive<String>>) -> Result<Self, ModelError> {
        let mut builder = Client::builder()
            .connect_timeout(CONNECT)
            .redirect(reqwest::redirect::Policy::none());
        if is_loopback(&base) {
            builder = builder.no_proxy();
        }
        let client = builder.build().map_err(|error| who.unreachable(root_cause(&error)))?;
        Ok(Self {
            base,
            who,
            key,
            clock: Arc::new(SystemClock),
            patience: Patience::default(),
            client,
        })
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base.as_str().trim_end_matches('/'))
    }

    fn with_key(&self, request: RequestBuilder) -> RequestBuilder {
        match &self.key {
            Some(key) => request.bearer_auth(key.expose()),
            None => request,
        }
    }

    /// GETs JSON, once.
    pub(crate) async fn get(&self, path: &str) -> Result<Value, ModelError> {
        let asked = async {
            let response = self.with_key(self.client.get(self.url(path))).send().await;
            let response = response.map_err(|error| self.who.unreachable(root_cause(&error)))?;
            if !response.status().is_success() {
                return Err(self.fault(response).await.explain(&self.who));
            }
            let body = response
                .bytes()
                .await
                .map_err(|error| self.who.unreachable(root_cause(&error)))?;
            serde_json::from_slice(&body)
                .map_err(|_| self.who.unreachable("what answers there does not speak its protocol"))
        };
        timeout(self.patience.list, asked)
            .await
            .unwrap_or_else(|_| Err(self.silent(self.patience.list)))
    }

    /// POSTs a turn and returns the answer once its status says success.
    pub(crate) async fn post(
        &self,
        path: &str,
        body: &Value,
        cancel: &CancellationToken,
    ) -> Result<Response, ModelError> {
        let mut attempt = 0;
        loop {
            let sending = timeout(
                self.patience.first,
                self.with_key(self.client.post(self.url(path))).json(body).send(),
            );
            let sent = tokio::select! {
                biased;
                () = cancel.cancelled() => return Err(ModelError::Cancelled),
                sent = sending => sent.map_err(|_| self.silent(self.patience.first))?,
            };
            let error = match sent {
                Ok(response) if response.status().is_success() => return Ok(response),
                Ok(response) => {
                    let fault = tokio::select! {
                        biased;
                        () = cancel.cancelled() => return Err(ModelError::Cancelled),
                        fault = self.fault(response) => fault,
                    };
                    match fault.explain(&self.who) {
                        busy @ ModelError::Busy { .. } => busy,
                        error => return Err(error),
                    }
                }
                Err(error) if error.is_connect() => self.who.unreachable(root_cause(&error)),
                Err(error) => return Err(self.who.unreachable(root_cause(&error))),
            };
            let wait = match &error {
                ModelError::Busy {
                    retry_after: Some(wait),
                    ..
                } => *wait,
                _ => FIRST_WAIT * 2u32.pow(attempt),
            };
            // Jitter only ever lengthens the wait: a server that names a time means it.
            let spread = wait
                .min(LONGEST_WAIT)
                .mul_f64(self.clock.jitter().clamp(0.0, 1.0) / 4.0);
            let wait = wait.saturating_add(spread);
            if attempt == RETRIES || wait > LONGEST_WAIT {
                return Err(error);
            }
            attempt += 1;
            tracing::debug!(server = %self.who.server, attempt, ?wait, "asking the model again");
            tokio::select! {
                biased;
                () = cancel.cancelled() => return Err(ModelError::Cancelled),
                () = self.clock.sleep(wait) => {}
            }
        }
    }

    /// Reads a reply to its end.
    pub(crate) async fn read<D: Decoder>(
        &self,
        response: Response,
        mut decoder: D,
        sink: Sink<'_>,
        cancel: &CancellationToken,
    ) -> Result<TurnReply, ModelError> {
        let mut bytes = response.bytes_stream();
        let mut patience = self.patience.first;
        loop {
            let chunk = tokio::select! {
                biased;
                () = cancel.cancelled() => return Err(ModelError::Cancelled),
                chunk = timeout(patience, bytes.next()) => chunk.map_err(|_| {
                    self.who.reply(format!("it stopped for {} seconds before it was whole", patience.as_secs()))
                })?,
            };
            let Some(chunk) = chunk else { break };
            let chunk = chunk.map_err(|error| self.who.reply(format!("it broke off ({})", root_cause(&error))))?;
            patience = self.patience.next;
            if decoder.push(&chunk, &mut *sink)? {
                break;
            }
        }
        decoder.finish(sink)
    }

    /// Reads an error answer. The key is taken out of a server's words, should it send it back.
    async fn fault(&self, response: Response) -> Fault {
        let status = response.status().as_u16();
        let retry_after = response
            .headers()
            .get(RETRY_AFTER)
            .and_then(|value| value.to_str().ok());
        let retry_after = retry_after.and_then(|value| read_retry_after(value, self.clock.as_ref()));
        let mut body = Vec::new();
        let mut bytes = response.bytes_stream();
        while let Ok(Some(Ok(chunk))) = timeout(self.patience.list, bytes.next()).await {
            body.extend_from_slice(&chunk);
            if body.len() > MOST_ERROR_BYTES {
                body.truncate(MOST_ERROR_BYTES);
                break;
            }
        }
        let body = self.without_key(String::from_utf8_lossy(&body).into_owned());
        Fault {
            retry_after,
            ..Fault::of_body(status, &body)
        }
    }

    fn without_key(&self, text: String) -> String {
        match self.key.as_ref().map(Sensitive::expose) {
            Some(key) if !key.is_empty() => text.replace(key.as_str(), "<redacted>"),
            _ => text,
        }
    }

    fn silent(&self, waited: Duration) -> ModelError {
        self.who
            .unreachable(format!("it did not answer within {} seconds", waited.as_secs()))
    }
}

/// `Retry-After`: seconds, or a date.
fn read_retry_after(value: &str, clock: &dyn Clock) -> Option<Duration> {
    let value = value.trim();
    if let Ok(seconds) = value.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let at = jiff::fmt::rfc2822::parse(value).ok()?.timestamp();
    let now = jiff::Timestamp::try_from(clock.now()).ok()?;
    Some(Duration::try_from(at.duration_since(now)).unwrap_or_default())
}

/// Whether a reply is one JSON document instead of a stream.
pub(crate) fn is_json(response: &Response) -> bool {
    let kind = response
        .headers()
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    kind.trim_start().starts_with("application/json")
}

fn is_loopback(url: &Url) -> bool {
    url.host_str().is_some_and(|host| {
        let host = host.trim_matches(['[', ']']);
        host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
    })
}

/// The deepest cause: the outer ones repeat the address and say that sending failed.
fn root_cause(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string()
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use async_trait::async_trait;

    use super::{Clock, address, read_retry_after};

    struct At(u64);

    #[async_trait]
    impl Clock for At {
        async fn sleep(&self, _: Duration) {}
        fn now(&self) -> SystemTime {
            SystemTime::UNIX_EPOCH + Duration::from_secs(self.0)
        }
        fn jitter(&self) -> f64 {
            0.0
        }
    }

    #[test]
    fn retry_after_is_read_as_seconds_or_as_a_date() {
        let clock = At(1_445_412_450); // 2015-10-21 07:27:30 UTC
        let read = |value| read_retry_after(value, &clock);
        assert_eq!(read("7"), Some(Duration::from_secs(7)));
        assert_eq!(read("0.5"), Some(Duration::from_millis(500)));
        assert_eq!(read("Wed, 21 Oct 2015 07:28:00 GMT"), Some(Duration::from_secs(30)));
        assert_eq!(read("Wed, 21 Oct 2015 07:27:00 GMT"), Some(Duration::ZERO));
        assert_eq!(read("soon"), None);
        assert_eq!(read("-3"), None);
        assert_eq!(read("1e300"), None);
    }

    #[test]
    fn an_address_must_be_http() {
        assert_eq!(
            address(" http://127.0.0.1:1/v1/ ", "S").map(String::from),
            Ok("http://127.0.0.1:1/v1".into())
        );
        for wrong in ["", "127.0.0.1:8080", "file:///etc/passwd", "nonsense"] {
            let message = address(wrong, "S").expect_err("not an address").to_string();
            assert!(message.contains("address"), "{message}");
        }
    }
}
