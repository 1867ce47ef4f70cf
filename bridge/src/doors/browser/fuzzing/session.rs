use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use countersign_contract::{HeldRef, Tool, ToolSource};
use countersign_gate::{AskedAct, Target, Ticket};
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};
use tokio_util::sync::CancellationToken;

use super::draw::Draw;
use super::release::Releases;
use super::rules::{Leave, canonical};
use super::steps;
use super::wired::Wired;
use crate::{Door, DoorEvent, Executed};

const STEPS: usize = 160;

thread_local! {
    static RUNTIME: Runtime = Builder::new_current_thread().enable_time().build().expect("a runtime");
}

/// A session of the desk's with a browser, drawn from bytes: events in any order, answers good and bad, reads, releases and
/// answers of the desk in between. No panic; nothing runs without leave and nothing twice; and when the browser ends,
/// everything that waited knows.
pub(super) fn session(data: &[u8]) {
    let mut draw = Draw::new(data);
    RUNTIME.with(|runtime| {
        let _within = runtime.enter();
        let mut desk = Desk::new(&mut draw);
        for _ in 0..STEPS {
            if draw.is_over() {
                break;
            }
            desk.step(&mut draw);
        }
        desk.end();
    });
}

type Waiting = Pin<Box<dyn Future<Output = ()> + Send>>;

struct Desk {
    wired: Wired,
    releases: Releases,
    waiting: Vec<Waiting>,
    cancels: Vec<CancellationToken>,
    tickets: Vec<String>,
}

impl Desk {
    fn new(draw: &mut Draw<'_>) -> Self {
        let guard = if draw.flag() {
            Duration::from_secs(3600)
        } else {
            Duration::ZERO
        };
        let mut desk = Self {
            wired: Wired::new(guard),
            releases: Releases::new(),
            waiting: Vec::new(),
            cancels: Vec::new(),
            tickets: Vec::new(),
        };
        match draw.below(3) {
            0 => {}
            kind => steps::ready(kind == 1).into_iter().for_each(|event| desk.hear(event)),
        }
        desk
    }

    fn hear(&mut self, message: Value) {
        if let Ok(message) = serde_json::from_value(message) {
            self.wired.hear(message);
        }
        self.poll();
    }

    fn step(&mut self, draw: &mut Draw<'_>) {
        match draw.below(12) {
            0 => self.read(draw),
            1 => self.call(draw),
            2 => self.release_held(draw),
            3 => self.answer_held(draw),
            4 => {
                if let Some(cancel) = self.cancels.pop() {
                    cancel.cancel();
                }
            }
            5 => self.wired.time_passes(),
            6 | 7 => self.browser_answers(draw),
            _ => self.hear(steps::event(draw, &self.tickets)),
        }
        self.poll();
    }

    fn tools(&self) -> Vec<Tool> {
        let state = self.wired.door.inner.state();
        let mut named = state
            .frames
            .iter()
            .flat_map(|(id, frame)| frame.listed.keys().map(move |name| (id.clone(), name.clone())))
            .collect::<Vec<_>>();
        named.sort();
        named
            .iter()
            .filter_map(|(frame, name)| state.listed_tool(frame, name))
            .collect()
    }

    fn read(&mut self, draw: &mut Draw<'_>) {
        let tools = self.tools();
        let Some(tool) = tools.get(draw.below(tools.len())) else {
            return;
        };
        let Ok(pass) = self.releases.gate.read(tool, &arguments(draw)) else {
            return;
        };
        let cancel = CancellationToken::new();
        self.cancels.push(cancel.clone());
        self.may_invoke(pass.tool(), pass.arguments());
        self.begin(|door| Box::pin(async move { drop(door.read(pass, cancel).await) }));
    }

    fn call(&mut self, draw: &mut Draw<'_>) {
        let tools = self.tools();
        let Some(tool) = tools.get(draw.below(tools.len())) else {
            return;
        };
        let act = AskedAct::Call {
            tool: Box::new(tool.clone()),
            arguments: arguments(draw),
        };
        // The page may have changed between the release and the call.
        let Some(ticket) = self.releases.ticket(tool.page.clone(), act) else {
            return;
        };
        if draw.flag() {
            self.hear(steps::event(draw, &self.tickets));
        }
        self.execute(ticket);
    }

    fn release_held(&mut self, draw: &mut Draw<'_>) {
        let held = self.held();
        let Some(event) = held.get(draw.below(held.len())) else {
            return;
        };
        let (page, act) = match event.clone() {
            DoorEvent::Ask {
                held, tool, arguments, ..
            } => (tool.page.clone(), AskedAct::HeldCall { held, tool, arguments }),
            DoorEvent::Network {
                held,
                page,
                tool,
                request,
                ..
            } => (page, AskedAct::HeldRequest { held, tool, request }),
            _ => return,
        };
        if let Some(ticket) = self.releases.ticket(page, act) {
            self.execute(ticket);
        }
    }

    fn execute(&mut self, ticket: Ticket) {
        let nonce = ticket.nonce().to_owned();
        match ticket.target() {
            Target::Call { tool, arguments } => {
                self.wired.rules.tickets.insert(nonce.clone(), arguments.clone());
                if tool.source == ToolSource::Form {
                    self.wired.rules.armed_for(&nonce);
                }
                self.may_invoke(tool, arguments);
            }
            Target::HeldCall { held, arguments, .. } => self.wired.rules.released(held, arguments),
            Target::HeldRequest { held, .. } => self.wired.rules.released(held, ""),
        }
        self.tickets.push(nonce);
        self.begin(|door| Box::pin(async move { drop::<Executed>(door.execute(ticket).await) }));
    }

    fn answer_held(&mut self, draw: &mut Draw<'_>) {
        let held = self.held();
        let handle: Option<HeldRef> = match held.get(draw.below(held.len())) {
            Some(DoorEvent::Ask { held, .. } | DoorEvent::Network { held, .. }) => Some(held.clone()),
            _ => None,
        };
        if let Some(held) = handle {
            self.begin(|door| Box::pin(async move { door.answer(&held, "No.").await }));
        }
    }

    /// What was reported as held, whether or not it still is.
    fn held(&self) -> Vec<DoorEvent> {
        let is_held = |event: &&DoorEvent| matches!(event, DoorEvent::Ask { .. } | DoorEvent::Network { .. });
        self.wired.reports.iter().filter(is_held).cloned().collect()
    }

    fn browser_answers(&mut self, draw: &mut Draw<'_>) {
        if self.wired.open.is_empty() {
            return;
        }
        // The last one is the likeliest to matter.
        let back = draw.below(self.wired.open.len().min(8));
        let at = self.wired.open.len() - 1 - back;
        let command = self.wired.open.remove(at);
        let answer = match (draw.below(4), command.method.as_str()) {
            (0, _) => json!({ "id": command.id, "error": { "message": "No" } }),
            (1, _) => json!({ "id": command.id, "result": {} }),
            (_, "WebMCP.invokeTool") => {
                json!({ "id": command.id, "result": { "invocationId": draw.pick(&["I1", "I2", "I3", "I4"]) } })
            }
            (_, "Runtime.evaluate") => json!({ "id": command.id, "result": { "result": { "value": draw.flag() } } }),
            (_, "Page.getFrameTree") => {
                let frame = json!({ "id": draw.pick(&["T1", "T2", "F1"]), "loaderId": "D1" });
                json!({ "id": command.id, "result": { "frameTree": { "frame": frame } } })
            }
            _ => {
                json!({ "id": command.id, "result": { "targetInfo": { "targetId": "T1", "type": "page", "title": "Late" } } })
            }
        };
        self.hear(answer);
    }

    fn may_invoke(&mut self, tool: &Tool, arguments: &str) {
        let input = serde_json::from_str(arguments).unwrap_or(Value::Null);
        self.wired.rules.may_invoke.push(Leave {
            frame: tool.page.frame.clone(),
            tool: tool.name.clone(),
            arguments: canonical(&input),
        });
    }

    fn begin(&mut self, make: impl FnOnce(crate::BrowserDoor) -> Waiting) {
        let mut future = make(self.wired.door.clone());
        if !is_over(&mut future) {
            self.waiting.push(future);
        }
        self.wired.check();
    }

    fn poll(&mut self) {
        self.waiting.retain_mut(|future| !is_over(future));
        self.wired.check();
    }

    fn end(&mut self) {
        self.wired.time_passes();
        self.poll();
        self.wired.end();
        self.poll();
        assert_eq!(
            self.waiting.len(),
            0,
            "somebody still waits for a browser that has ended"
        );
    }
}

fn is_over(future: &mut Waiting) -> bool {
    matches!(
        future.as_mut().poll(&mut Context::from_waker(Waker::noop())),
        Poll::Ready(())
    )
}

fn arguments(draw: &mut Draw<'_>) -> Value {
    match draw.below(3) {
        0 => json!({}),
        1 => json!({ "pot": "red" }),
        _ => json!({ "pot": "blue", "n": 1 }),
    }
}
