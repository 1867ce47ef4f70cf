use crate::lines::Lines;

/// Reads server-sent events. Lenient where servers are sloppy: the last event needs no blank line after it.
#[derive(Debug, Default)]
pub(crate) struct Events {
    lines: Lines,
    name: String,
    data: Vec<String>,
}

/// One event.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Event {
    /// The `event` field; empty when it has none.
    pub(crate) name: String,
    /// Its `data` lines.
    pub(crate) data: Vec<String>,
}

impl Events {
    /// The events that are whole once `bytes` have come.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Vec<Event> {
        let lines = self.lines.push(bytes);
        lines.into_iter().filter_map(|line| self.line(&line)).collect()
    }

    /// The event that was open when the stream ended.
    pub(crate) fn rest(&mut self) -> Option<Event> {
        if let Some(line) = self.lines.rest() {
            self.line(&line);
        }
        self.take()
    }

    fn line(&mut self, line: &str) -> Option<Event> {
        if line.is_empty() {
            return self.take();
        }
        // A line that begins with a colon has an empty field name: a comment, which servers send to keep a line open.
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => self.data.push(value.to_owned()),
            "event" => value.clone_into(&mut self.name),
            _ => {}
        }
        None
    }

    fn take(&mut self) -> Option<Event> {
        let event = Event {
            name: std::mem::take(&mut self.name),
            data: std::mem::take(&mut self.data),
        };
        event.data.iter().any(|line| !line.trim().is_empty()).then_some(event)
    }
}

#[cfg(test)]
mod tests {
    use super::{Event, Events};

    fn event(name: &str, data: &[&str]) -> Event {
        Event {
            name: name.into(),
            data: data.iter().map(|line| (*line).to_owned()).collect(),
        }
    }

    #[test]
    fn comments_ids_and_empty_events_are_passed_over() {
        let mut events = Events::default();
        let seen = events.push(b":\n: ping\n\nid: 4\nretry: 10\n\ndata:a\ndata: b\nevent: error\n\ndata:\n\n");
        assert_eq!(seen, [event("error", &["a", "b"])]);
        assert_eq!(events.rest(), None);
    }

    #[test]
    fn the_last_event_needs_no_end() {
        let mut events = Events::default();
        assert_eq!(events.push(b"data: [DONE]"), []);
        assert_eq!(events.rest(), Some(event("", &["[DONE]"])));
    }
}
