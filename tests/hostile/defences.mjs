// Each defence as the smallest change of the source that switches it off. `npm run test:hostile:prove` makes one change at a
// time in a copy of the repository and demands that every page that names the defence then gets through, or is at least seen not
// to be held. Every `find` stands exactly once in its file.

const page = (file) => `bridge/page/interceptor/src/${file}.ts`;
const door = (file) => `bridge/src/doors/browser/${file}.rs`;
const gate = (file) => `src-tauri/crates/gate/src/${file}.rs`;
const desk = (file) => `src-tauri/crates/desk/src/${file}.rs`;

const edit = (file, find, replace = "") => ({ file, find, replace });

/** The door looks at which registration asks with a ticket. */
const registration = edit(door("calls"), "registration(&sent.tool) == Some(asking.registration) && ");
const unseenMayBePressed = edit(
  gate("gate/release"),
  `            Arming::Unseen => {
                return Err(GateError::NotArmed {
                    remaining_ms: eye.arming_ms(),
                });
            }`,
  "            Arming::Unseen => {}",
);

export const DEFENCES = {
  "wrap-tools": {
    what: "registerTool is replaced before any page script",
    edits: [edit(page("main"), "  wrapTools();\n")],
  },
  popups: {
    what: "a window that is opened paused is held although nobody hears it yet",
    edits: [
      edit(
        page("port"),
        "export const isServed = (): boolean => !dispatch(view, new Event(type, { cancelable: true }));",
        "export const isServed = (): boolean => { handOver(); return !handed; };",
      ),
    ],
  },
  "child-targets": {
    what: "frames in a process of their own get the interceptor",
    edits: [
      edit(
        door("targets"),
        "                    .to_owned();\n                self.set_up(session_id, tab);",
        `                    .to_owned();
                let _ = tab;
                self.send(Some(&session_id), "Runtime.runIfWaitingForDebugger", &json!({}));`,
      ),
    ],
  },
  "captured-function": {
    what: "the function that runs is the one that was there at the registration",
    edits: [
      edit(
        page("tools"),
        "execute: copied.execute as Execute,",
        "execute: (input, options) => ((tool as ToolInit).execute as Execute)(input, options),",
      ),
    ],
  },
  "copied-tool": {
    what: "every member of a tool is read once",
    edits: [edit(page("tools"), "copied = copyTool(tool as ToolInit);", "copied = tool as ToolInit;")],
  },
  "frozen-arguments": {
    what: "what runs is parsed from the text that was shown",
    edits: [edit(page("tools"), "[parse(argumentsText), options]", "[argumentsText && input[0], options]")],
  },
  "bare-records": {
    what: "what waits is filed in an object without a prototype",
    edits: [edit(page("waiting"), "const waiting = create(null) as", "const waiting = (create && {}) as")],
  },
  "own-json": {
    what: "JSON is taken before the page can replace it",
    edits: [
      edit(
        page("primordials"),
        "export const { stringify, parse } = JSON;",
        "export const stringify = (value: unknown) => JSON.stringify(value);\nexport const parse = (text: string) => JSON.parse(text);",
      ),
    ],
  },
  "own-then": {
    what: "the end of a tool is heard with the browser's own then",
    edits: [edit(page("primordials"), "    then(promise, ok, failed);", "    promise.then(ok, failed);")],
  },
  "own-port": {
    what: "messages go out with the browser's own postMessage",
    edits: [
      edit(
        page("primordials"),
        "export const postMessage = uncurry(MessagePort.prototype.postMessage) as (port: MessagePort, message: unknown) => void;",
        "export const postMessage = (port: MessagePort, message: unknown): void => port.postMessage(message);",
      ),
    ],
  },
  "own-reflect": {
    what: "functions are called with the browser's own Reflect.apply",
    edits: [
      edit(
        page("primordials"),
        "export const { apply, construct, deleteProperty, ownKeys } = Reflect;",
        "export const { construct, deleteProperty, ownKeys } = Reflect;\nexport const apply: typeof Reflect.apply = (of: never, self: never, args: never) => Reflect.apply(of, self, args);",
      ),
    ],
  },
  "own-signal": {
    what: "an abort is heard on a signal that the page does not have",
    edits: [
      edit(page("tools"), "    else onceAborted(signal, drop);", '    else signal.addEventListener("abort", drop);'),
    ],
  },
  withdrawal: {
    what: "a call that was given up is taken off what waits",
    edits: [
      edit(
        page("tools"),
        "if (withdraw(call)) reject(abortReason(signal));",
        "reject(withdraw && call && abortReason(signal));",
      ),
    ],
  },
  "read-mark": {
    what: "only the app's own reads run without a question, and only what reads",
    edits: [
      edit(
        page("tools"),
        "return reads && mark === __COUNTERSIGN__.read\n",
        "return mark !== undefined && (reads || mark.length > 0)\n",
      ),
    ],
  },
  "strict-hint": {
    what: "only the value true says that a tool reads",
    edits: [edit(page("tools"), "annotations?.readOnlyHint === true", "!!annotations?.readOnlyHint")],
  },
  "ticket-mark": {
    what: "the ticket is taken off the input before anything else sees it",
    edits: [edit(page("tools"), "  deleteProperty(input, MARK);\n", "  void deleteProperty;\n")],
  },
  "binding-world": {
    what: "the binding to the app is in a world of our own, and messages from elsewhere are not read",
    edits: [
      edit(
        door("targets"),
        'json!({ "name": self.names.binding, "executionContextName": world }),',
        'json!({ "name": self.names.binding }),',
      ),
      edit(
        door("page"),
        ".and_then(|session| session.contexts.get(&context))",
        ".and_then(|session| session.contexts.get(&context).or_else(|| session.contexts.values().next()))",
      ),
      edit(
        door("page"),
        "            .filter(|page| page.context == context)\n    }",
        "            .filter(|_| context != 0)\n    }",
      ),
    ],
  },
  "whole-characters": {
    what: "half a character is made whole before the app reads it",
    edits: [edit(page("isolated"), "JSON.stringify(message, whole)", "JSON.stringify(whole && message)")],
  },
  ticket: {
    what: "a mark that is nobody's ticket lets nothing run",
    edits: [
      edit(
        door("calls"),
        "let Some((number, sent)) = ours else { return Err(None) };",
        "let Some((number, sent)) = ours else { return Ok(asking.canonical.clone().unwrap_or_default()) };",
      ),
    ],
  },
  registration: {
    what: "a ticket is good for one registration",
    edits: [registration],
  },
  bytes: {
    what: "a ticket is good for the very arguments",
    edits: [edit(door("calls"), " && asking.canonical.as_ref() == Some(arguments)")],
  },
  "replaced-tool": {
    what: "a tool that was replaced is not run, whoever is asked: the desk, the door, the page",
    edits: [
      edit(desk("decide"), "let tool = door.tool(&shown.key).await;", "let tool = Some(shown.clone());"),
      edit(
        door("held"),
        "if self.current(&tool.key).is_none_or(|now| now.digest != tool.digest) {",
        "if tool.digest.is_empty() {",
      ),
      edit(
        door("calls"),
        "let current = self.current(&tool.key).filter(|now| now.digest == tool.digest);",
        "let current = Some(tool.clone());",
      ),
      registration,
    ],
  },
  "reserved-member": {
    what: "no caller may name the member that marks a released call",
    edits: [edit(gate("digest"), "if arguments.get(RESERVED).is_some() {", "if arguments.is_null() {")],
  },
  "safe-numbers": {
    what: "a number that the page would read as another one is not taken in",
    edits: [
      edit(
        "src-tauri/crates/ledger/src/canonical.rs",
        "pub(crate) const MAX_SAFE: u64 = (1 << 53) - 1;",
        "pub(crate) const MAX_SAFE: u64 = 1 << 62;",
      ),
    ],
  },
  "hold-forms": {
    what: "the submit of a form that an agent fills is held",
    edits: [edit(page("main"), "  holdForms();\n"), edit(page("main"), "    listenForForms();\n")],
  },
  "form-submit": {
    what: "form.submit() is held too",
    edits: [edit(page("forms"), "  wrapSubmit();\n", "  void wrapSubmit;\n")],
  },
  "form-natives": {
    what: "a form is submitted with the browser's own function",
    edits: [edit(page("forms"), "    requestSubmit(form, button);", "    form.requestSubmit(button);")],
  },
  "shadow-forms": {
    what: "submits inside a shadow tree are heard, whoever made it",
    edits: [
      edit(page("forms"), "  wrapAttachShadow();\n", "  void wrapAttachShadow;\n"),
      edit(page("forms"), "  listen(view, __COUNTERSIGN__.entry, onFormShown, true);\n", "  void onFormShown;\n"),
    ],
  },
  emptied: {
    what: "a document that was opened anew is listened to again",
    edits: [
      edit(
        page("main"),
        "  whenEmptied(() => {\n    watch();\n    listenForForms();\n    hearCookies();\n    answerPages();\n  });\n",
        "  void [whenEmptied, listenForForms, hearCookies];\n",
      ),
    ],
  },
  "form-shows": {
    what: "a filled form is compared with the arguments that were released",
    edits: [
      edit(
        door("calls"),
        "asking.registration == 0 && asking.canonical.as_ref().is_some_and(|filled| shows(arguments, filled)),",
        "asking.registration == 0 || shows(arguments, arguments),",
      ),
    ],
  },
  "form-fields": {
    what: "the values of a held form are compared once more before it is submitted",
    edits: [edit(page("forms"), " || fields(form, button) !== asked")],
  },
  "form-reset": {
    what: "a form that was reset has other values, and its call has ended",
    edits: [
      edit(page("forms"), " || fields(form, button) !== asked"),
      edit(page("forms"), "if (!called && letGo !== form) return;", "if (!called) return;"),
    ],
  },
  "form-active": {
    what: "form.submit() is not carried out once the form's call has ended",
    edits: [edit(page("forms"), '            if (!isActive(form)) return "stopped";\n')],
  },
  "form-destination": {
    what: "so is where it leads",
    edits: [edit(page("forms"), " || destination(form, button) !== there", " || there === undefined")],
  },
  "form-cancel": {
    what: "a form's call that was given up is dropped",
    edits: [edit(page("forms"), '  listen(target, "toolcancel", onCancelled);\n', "  void onCancelled;\n")],
  },
  "form-gate": {
    what: "the desk holds a form before it is filled in",
    edits: [
      edit(
        gate("ask"),
        "if hints.read_only && !hints.consequential && tool.source == ToolSource::Script {",
        "if tool.source == ToolSource::Form || (hints.read_only && !hints.consequential) {",
      ),
    ],
  },
  "network-hold": {
    what: "what could change something is paused in the browser while a read runs",
    edits: [
      edit(
        door("scope"),
        "        on().next()?;\n",
        "        if !paused.frame_id.contains(' ') {\n            return None;\n        }\n",
      ),
    ],
  },
  acquaintances: {
    what: "a tab counts to a read that reaches it by way of others",
    edits: [
      edit(
        door("scope"),
        "!self.reached(tab, guard.site.as_ref()).is_disjoint(&sites)",
        "guard.site.as_ref().is_some_and(|site| sites.contains(site))",
      ),
    ],
  },
  reports: {
    what: "the browser sends no reports for a page",
    edits: [edit(door("launch"), ",Reporting,NetworkErrorLogging")],
  },
  "upload-streams": {
    what: "a request has its whole body when it is made",
    edits: [edit(door("launch"), ",FetchUploadStreaming")],
  },
  "guard-after": {
    what: "the guard stays on for a time after a read",
    edits: [
      edit(
        door("guard"),
        "let until = Instant::now() + self.after_read_of(&tool.page.origin);",
        "let until = Instant::now() + self.after_read_of(&tool.page.origin).min(Duration::ZERO);",
      ),
    ],
  },
  "guard-cancelled": {
    what: "it stays on while a read that was given up runs on",
    edits: [
      edit(
        door("guard"),
        "const CANCELLED: Duration = Duration::from_secs(60);",
        "const CANCELLED: Duration = Duration::from_millis(1);",
      ),
    ],
  },
  "page-reads": {
    what: "a read that the page makes waits for its guard",
    edits: [
      edit(
        door("page"),
        "let read = self.begin_foreign_guard(&tool);\n        self.reading.insert(id.clone(), read);",
        "let _ = &tool;",
      ),
      edit(
        door("calls"),
        "let read = self.begin_foreign_guard(&tool);\n        self.foreign_reads.insert(call.invocation_id, read);",
      ),
    ],
  },
  caught: {
    what: "a read that was caught counts as a write from then on",
    edits: [
      edit(
        gate("gate/mod"),
        "let origin = &tool.page.origin;\n",
        "let origin = &tool.page.origin;\n        if !origin.is_empty() {\n            return false;\n        }\n",
      ),
    ],
  },
  "both-hints": {
    what: "a tool that says it is consequential does not read, whatever else it says",
    edits: [
      edit(gate("ask"), "hints.read_only && !hints.consequential && ", "hints.read_only && "),
      edit(page("tools"), "const reads = readOnly && !consequential;", "const reads = readOnly;"),
    ],
  },
  "page-gone": {
    what: "what was held ends with its document",
    edits: [
      edit(
        desk("events"),
        "gate.page_gone(document, message, &at)",
        'gate.page_gone(&format!("not {document}"), message, &at)',
      ),
    ],
  },
  "gone-is-unknown": {
    what: "a call whose page went while it ran is recorded as unknown",
    edits: [
      edit(
        door("sent"),
        "Waited::Gone { words } => Executed::Unknown {\n                        message: unknown(&words),",
        "Waited::Gone { words } => Executed::Committed {\n                        result: unknown(&words),",
      ),
    ],
  },
  invisible: {
    what: "characters that do not show are named on the card",
    edits: [
      edit(
        gate("risks"),
        "risks.extend(of_texts(&texts));",
        "risks.extend(of_texts(&texts).filter(|risk| risk.id.is_empty()));",
      ),
    ],
  },
  "recheck-preview": {
    what: "the preview is compared once more at the press",
    edits: [
      edit(gate("gate/release"), "moved.extend(moved::preview(&entry.preview, &fresh));", "let _ = moved::preview;"),
    ],
  },
  "companion-reads": {
    what: "only a read is asked for a preview",
    edits: [
      edit(
        gate("companion"),
        "same_document(other, tool) && level(other) == Level::Read)\n}",
        "same_document(other, tool))\n}",
      ),
      edit(gate("gate/mod"), "if self.classify(tool) != Level::Read {", "if tool.name.is_empty() {"),
      edit(page("tools"), "return reads && mark === __COUNTERSIGN__.read\n", "return mark === __COUNTERSIGN__.read\n"),
    ],
  },
  "companion-document": {
    what: "a preview comes from the document that offers the write",
    edits: [
      edit(
        gate("companion"),
        "one.page.door == other.page.door && one.page.frame == other.page.frame && one.page.document == other.page.document",
        "one.page.door == other.page.door",
      ),
    ],
  },
  "pending-preview": {
    what: "release is dead while the page is being asked",
    edits: [
      edit(
        gate("entry"),
        '            (Phase::Held { .. }, Preview::Pending) => dead("the page is still being asked what would change"),\n',
      ),
    ],
  },
  arming: {
    what: "release is dead while the card is not in view",
    edits: [unseenMayBePressed],
  },
  "press-digest": {
    what: "a press names the card that was in view",
    edits: [
      edit(gate("gate/release"), "if params.digest != entry.digest {", "if params.digest.is_empty() {"),
      unseenMayBePressed,
    ],
  },
  "one-press": {
    what: "a proposal is released once",
    edits: [
      edit(
        gate("gate/release"),
        "        if !entry.phase.is_held() {\n            return Err(not_held(entry));\n        }\n        // Whoever",
        "        // Whoever",
      ),
      edit(
        gate("entry"),
        '(Phase::Rechecking { .. } | Phase::Writing { .. }, _) => dead("it is being released already"),',
        "(Phase::Rechecking { .. } | Phase::Writing { .. }, _) => eye.arming(&self.id, &self.digest, now),",
      ),
      edit(
        gate("entry"),
        '(Phase::Released | Phase::NotRun { .. } | Phase::Ended(_), _) => dead("it is decided already"),',
        "(Phase::Released | Phase::NotRun { .. } | Phase::Ended(_), _) => eye.arming(&self.id, &self.digest, now),",
      ),
      edit(
        gate("gate/release"),
        "            .filter(|entry| entry.phase == current)\n            .ok_or_else(over)?;",
        "            .filter(|entry| entry.phase == current || entry.is_recorded())\n            .ok_or_else(over)?;",
      ),
      edit(
        gate("gate/release"),
        "        if entry.phase != writing {\n            return Err(not_held(entry));\n        }\n",
      ),
    ],
  },
  expiry: {
    what: "what has run out cannot be pressed",
    edits: [
      edit(gate("gate/release"), "if at.ms >= entry.expires_ms {", "if at.ms == u64::MAX {"),
      edit(gate("gate/close"), "entry.phase.is_held() && entry.expires_ms <= at.ms;", "at.ms == u64::MAX;"),
    ],
  },
  governor: {
    what: "who asks without end is stopped",
    edits: [edit(gate("governor"), "if asking.left >= WHOLE {", "if asking.left < u64::MAX {")],
  },
  "stack-functions": {
    what: "the interceptor's functions are strict, so that nobody gets them off the stack",
    edits: [edit(door("scripts"), String.raw`{{\"use strict\";const`, "{{const")],
  },
  "form-two-values": {
    what: "several values under one name are an array whose JSON is its own members",
    edits: [
      edit(
        page("forms"),
        'const list = (values: string[]): string[] => defineProperty(values, "toJSON", bare({ value: undefined }));',
        "const list = (values: string[]): string[] => values;",
      ),
    ],
  },
  "form-third-value": {
    what: "the third value under a name is put where no setter of the page's takes it",
    edits: [edit(page("forms"), "else put(before, before.length, text);", "else before[before.length] = text;")],
  },
  "form-swallowed": {
    what: "what is held of a form is filed where no setter of the page's takes it",
    edits: [edit(page("forms"), "const holds = create(null) as", "const holds = (create && []) as unknown as")],
  },
  "form-deep-submit": {
    what: "form.submit() does not take a form for one that nobody calls because there is no stack to look",
    edits: [
      edit(
        page("forms"),
        "const isActive = (form: Element): boolean => knowsActive && matches(form, ACTIVE);",
        `const isActive = (form: Element): boolean => {
  try {
    return knowsActive && matches(form, ACTIVE);
  } catch {
    return false;
  }
};`,
      ),
    ],
  },
  "form-deep-request": {
    what: "form.requestSubmit() takes as much stack as hearing of it does",
    edits: [edit(page("room"), '  wrap(HTMLFormElement.prototype, "requestSubmit", () => true);\n')],
  },
  "form-deep-click": {
    what: "so does a click",
    edits: [edit(page("room"), '  wrap(HTMLElement.prototype, "click", () => true);\n')],
  },
  "form-deep-event": {
    what: "so does an event that the page makes itself",
    edits: [edit(page("room"), '  wrap(EventTarget.prototype, "dispatchEvent", isClick);\n', "  void isClick;\n")],
  },
  "form-call-over": {
    what: "a form whose call has ended is not sent as the page's own",
    edits: [edit(page("forms"), "if (!called && letGo !== form) return;", "if (!called) return;")],
  },
  "liar-opener": {
    what: "windows that opened one another are held for each other's reads",
    edits: [edit(door("scope"), "related.extend(new);", "drop(new);")],
  },
  "liar-opener-form": {
    what: "so is a tab of which nobody knows who opened it, if it came up under the guard",
    edits: [
      edit(door("scope"), "related.extend(new);", "drop(new);"),
      edit(
        door("scope"),
        "first.is_some_and(|tab| tab.opened >= guard.since)",
        "first.is_some_and(|tab| tab.id.is_empty() && tab.opened >= guard.since)",
      ),
    ],
  },
  "liar-sister": {
    what: "a tab is held for a read of the site of any of its frames, whichever of them sends",
    edits: [
      edit(
        door("scope"),
        "filter(|(_, of)| related.contains(&of.tab.as_str()))",
        "filter(|(id, of)| **id == paused.frame_id && related.contains(&of.tab.as_str()))",
      ),
    ],
  },
  "opened-tabs": {
    what: "what a window sends is put down to the read of the page that opened it",
    edits: [edit(door("scope"), "let line = self.openers(&frame.tab);", "let line = vec![frame.tab.as_str()];")],
  },
  "shared-workers": {
    what: "a worker that belongs to no frame is held for any read",
    edits: [
      edit(
        door("scope"),
        "return Some(held(guard, is_its_own(guard)));",
        "return Some(held(guard, is_its_own(guard))).filter(|held| !held.is_its_own);",
      ),
    ],
  },
  "socket-rule": {
    what: "the browser refuses sockets while a guard is on",
    edits: [
      edit(
        "bridge/page/guard/guard.js",
        'resourceTypes: ["websocket", "webtransport"]',
        'resourceTypes: ["webtransport"]',
      ),
    ],
  },
  "socket-refused": {
    what: "a guarded worker refuses sockets itself",
    edits: [edit(page("worker"), ", refuse: refuseOpening")],
  },
  "socket-sends": {
    what: "what is sent on an open socket waits while its realm is guarded",
    edits: [edit(page("sockets"), '  wrapMethod("send", "SEND");\n')],
  },
  "socket-close": {
    what: "so do the words with which one is closed",
    edits: [edit(page("sockets"), '  wrapMethod("close", "CLOSE");\n')],
  },
  "socket-workers": {
    what: "workers hear of the guard",
    edits: [edit(page("worker"), "guardSockets(message.on);", "guardSockets(message.on && false);")],
  },
  "web-transport": {
    what: "no document has WebTransport",
    edits: [edit(page("removed"), '["WebTransport", ', "[")],
  },
  "web-transport-workers": {
    what: "no worker has it either",
    edits: [
      edit(
        page("removed"),
        '  defineProperty(globalThis, "WebTransport", bare({ value: undefined }));\n',
        "  void [defineProperty, bare];\n",
      ),
    ],
  },
  "storage-seen": {
    what: "what a read changes in storage is seen",
    edits: [
      edit(
        door("changes"),
        "self.changed_by(session, &origin, area, &item.key, happened);",
        "let _ = (area, happened);",
      ),
    ],
  },
  "cookie-seen": {
    what: "so are the cookies it writes",
    edits: [edit(page("main"), "  watchCookies();\n", "  void watchCookies;\n")],
  },
  "changed-is-write": {
    what: "a read that changed what its page keeps counts as a write from then on",
    edits: [
      edit(
        desk("changes"),
        "        if certain {\n            self.gate()",
        "        if certain && origin.is_empty() {\n            self.gate()",
      ),
    ],
  },
  "rule-definition": {
    what: "a rule is for one definition of its tool",
    edits: [
      edit(
        gate("rules/mod"),
        "digest.is_none_or(|digest| *digest == tool.digest)",
        "digest.is_none_or(|digest| !digest.is_empty())",
      ),
    ],
  },
  "rule-arguments": {
    what: "a rule is for the arguments it names",
    edits: [
      edit(
        gate("rules/mod"),
        "&& matches(&self.rule.arguments, asked.arguments, asked.canonical)",
        "&& (asked.arguments.is_object() || matches(&self.rule.arguments, asked.arguments, asked.canonical))",
      ),
    ],
  },
  "rule-members": {
    what: "a member that a rule does not name makes it another call",
    edits: [
      edit(
        gate("rules/pattern"),
        "    nothing_else\n        && members",
        "    (nothing_else || !found.is_empty())\n        && members",
      ),
    ],
  },
  "rule-count": {
    what: "uses of a rule that are on their way count",
    edits: [
      edit(
        gate("rules/mod"),
        "is_none_or(|limit| self.rule.uses.saturating_add(taken) < limit)",
        "is_none_or(|limit| self.rule.uses.saturating_add(taken.min(0)) < limit)",
      ),
    ],
  },
  "rule-revoked": {
    what: "whether a rule is still there is looked at once more after the page was asked",
    edits: [
      edit(
        gate("gate/release"),
        "(By::Rule { rule, .. }, Some(entry)) => self.still_covers(entry, rule, at),",
        "(By::Rule { rule, .. }, Some(entry)) => !rule.0.is_empty() || self.still_covers(entry, rule, at),",
      ),
    ],
  },
  "rule-writes": {
    what: "no rule releases while writes are withdrawn",
    edits: [edit(gate("gate/release"), "if hidden || self.writes_revoked.is_some() {", "if hidden {")],
  },
  "writes-withdrawn": {
    what: "no agent has a write tool while writes are withdrawn",
    edits: [
      edit(
        gate("gate/intake"),
        "let agents = ask.caller.ingress != Ingress::PanelHand;",
        "let agents = ask.caller.name.is_empty();",
      ),
    ],
  },
  "grant-spent": {
    what: "a grant is spent when the call is taken, not when it has run",
    edits: [
      edit(
        gate("rules/mod"),
        "(!hidden || standing.granted.is_some())\n                && standing.has_use_left(taken(&standing.rule.id))",
        "(!hidden || standing.granted.is_some())\n                && standing.has_use_left(taken(&standing.rule.id).min(0))",
      ),
    ],
  },
};
