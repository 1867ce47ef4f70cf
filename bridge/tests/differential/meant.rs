use crate::compare::Difference;

/// A difference that is meant.
pub struct Meant {
    pub page: &'static str,
    /// The line as it is printed: `- ` without Countersign only, `+ ` with it only; `*` stands for any text.
    pub line: &'static str,
    /// The section of `docs/differences.md` that gives the reason.
    pub because: &'static str,
}

impl Meant {
    pub fn is(&self, page: &str, difference: &Difference) -> bool {
        self.page == page && matches(self.line, &difference.to_string())
    }
}

fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = text.strip_prefix(parts.next().unwrap_or_default()) else {
        return false;
    };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    true
}

const CANONICAL: &str = "Arguments come in canonical form";
const WHOLE: &str = "Half a character becomes a whole one";
const OBJECTS: &str = "A list of arguments is refused";
const UNNAMED: &str = "A wrapped function does not print its name";
const ABSENT: &str = "What can be held by no means is not there";
const STACK: &str = "A stack shows the interceptor";
const TOLD: &str = "Somebody outside is told what the page's own caller is told";
const READ: &str = "A held form is read";
const ACTIVE: &str = "A form's call is active before its submit is";
const BORROWED: &str = "A tool that another window's function registered cannot be released";
const SHORTER: &str = "A schema that has no JSON is refused in shorter words";
const MEMBER: &str = "One more member is read";

/// Every difference that is meant.
pub const MEANT: &[Meant] = &[
    meant("arguments", r#"- input {b: 1, a: "x"}*"#, CANONICAL),
    meant("arguments", r#"+ input {a: "x", b: 1}*"#, CANONICAL),
    meant("arguments", "- input {z: {y:*", CANONICAL),
    meant("arguments", "+ input {a: {a: 1}, c: {a: 1}, z:*", CANONICAL),
    meant("arguments", "- input {-0: 0, big: 1e+21, small:*", CANONICAL),
    meant("arguments", "+ input {-0: 0, big: 1e+21, exact:*", CANONICAL),
    meant("arguments", "- input {emoji:*quote:*nul:*long:*", CANONICAL),
    meant("arguments", "+ input {emoji:*long:*nul:*quote:*", CANONICAL),
    meant("arguments", r#"- input {2: "two", 10: "ten", : 1, a b:*"#, CANONICAL),
    meant(
        "arguments",
        r#"+ input {2: "two", 10: "ten", : 1, __proto__:*"#,
        CANONICAL,
    ),
    meant("arguments", r#"- input {n: 5, s: "s", b: false}*"#, CANONICAL),
    meant("arguments", r#"+ input {b: false, n: 5, s: "s"}*"#, CANONICAL),
    meant("arguments", r#"- input {half: "\ud800"}*"#, WHOLE),
    meant("arguments", r#"+ input {half: "�"}*"#, WHOLE),
    meant("arguments", "- count 2 2 true undefined", OBJECTS),
    meant("arguments", "- input [1, 2]*", OBJECTS),
    meant("arguments", "- input []*", OBJECTS),
    meant("arguments", "- of true", OBJECTS),
    meant("arguments", r#"- options ["signal"] true false"#, OBJECTS),
    meant("arguments", "- options are true false", OBJECTS),
    meant("arguments", "- activation false false", OBJECTS),
    meant("arguments", r#"- write list "->" "seen""#, OBJECTS),
    meant("arguments", "- write list is a copy true", OBJECTS),
    meant("arguments", r#"- write list of none "->" "seen""#, OBJECTS),
    meant("arguments", "- write list of none is a copy true", OBJECTS),
    meant("arguments", r#"+ write list "->" "Arguments that are not*"#, OBJECTS),
    meant(
        "arguments",
        r#"+ write list of none "->" "Arguments that are not*"#,
        OBJECTS,
    ),
    meant(
        "descriptors",
        r#"- ModelContext.registerTool value "registerTool"*"function registerTool() { [native code] }""#,
        UNNAMED,
    ),
    meant(
        "descriptors",
        r#"+ ModelContext.registerTool value "registerTool"*"function () { [native code] }""#,
        UNNAMED,
    ),
    meant("descriptors", r#"- form.requestSubmit value *"#, UNNAMED),
    meant("descriptors", r#"+ form.requestSubmit value *"#, UNNAMED),
    meant("descriptors", r#"- window.WebSocket value *"#, UNNAMED),
    meant("descriptors", r#"+ window.WebSocket value *"#, UNNAMED),
    meant("descriptors", r#"- WebSocket.send value *"#, UNNAMED),
    meant("descriptors", r#"+ WebSocket.send value *"#, UNNAMED),
    meant("descriptors", r#"- WebSocket.close value *"#, UNNAMED),
    meant("descriptors", r#"+ WebSocket.close value *"#, UNNAMED),
    meant("descriptors", "- window.WebTransport *", ABSENT),
    meant("descriptors", "- window.RTCPeerConnection *", ABSENT),
    meant("descriptors", r#"+ window.WebTransport "absent""#, ABSENT),
    meant("descriptors", r#"+ window.RTCPeerConnection "absent""#, ABSENT),
    meant("globals", "- names on window *", ABSENT),
    meant("globals", "+ names on window *", ABSENT),
    meant("workers", "- dedicated *", UNNAMED),
    meant("workers", "+ dedicated *", UNNAMED),
    meant("workers", "- shared *", UNNAMED),
    meant("workers", "+ shared *", UNNAMED),
    meant(
        "descriptors",
        r#"- form.submit value "submit"*"function submit() { [native code] }""#,
        UNNAMED,
    ),
    meant(
        "descriptors",
        r#"+ form.submit value "submit"*"function () { [native code] }""#,
        UNNAMED,
    ),
    meant(
        "descriptors",
        r#"- attachShadow value "attachShadow"*"function attachShadow() { [native code] }""#,
        UNNAMED,
    ),
    meant(
        "descriptors",
        r#"+ attachShadow value "attachShadow"*"function () { [native code] }""#,
        UNNAMED,
    ),
    meant(
        "descriptors",
        r#"- document.open value "open"*"function open() { [native code] }""#,
        UNNAMED,
    ),
    meant(
        "descriptors",
        r#"+ document.open value "open"*"function () { [native code] }""#,
        UNNAMED,
    ),
    meant(
        "descriptors",
        r#"- document.write value "write"*"function write() { [native code] }""#,
        UNNAMED,
    ),
    meant(
        "descriptors",
        r#"+ document.write value "write"*"function () { [native code] }""#,
        UNNAMED,
    ),
    meant(
        "descriptors",
        r#"- document.writeln value "writeln"*"function writeln() { [native code] }""#,
        UNNAMED,
    ),
    meant(
        "descriptors",
        r#"+ document.writeln value "writeln"*"function () { [native code] }""#,
        UNNAMED,
    ),
    meant(
        "frames",
        r#"- in a blank frame value "registerTool"*"function registerTool() { [native code] }""#,
        UNNAMED,
    ),
    meant(
        "frames",
        r#"+ in a blank frame value "registerTool"*"function () { [native code] }""#,
        UNNAMED,
    ),
    meant(
        "popup",
        r#"- of a frame registerTool value "registerTool"*"function registerTool() { [native code] }""#,
        UNNAMED,
    ),
    meant(
        "popup",
        r#"+ of a frame registerTool value "registerTool"*"function () { [native code] }""#,
        UNNAMED,
    ),
    meant(
        "popup",
        r#"- of a frame submit value "submit"*"function submit() { [native code] }""#,
        UNNAMED,
    ),
    meant(
        "popup",
        r#"+ of a frame submit value "submit"*"function () { [native code] }""#,
        UNNAMED,
    ),
    meant("document-write", r#"- a symbol "!" *"#, STACK),
    meant("document-write", r#"+ a symbol "!" *(<anonymous>:*"#, STACK),
    meant("errors", r#"- nothing.write from outside "->" "! *"#, TOLD),
    meant("errors", r#"+ nothing.write from outside "->" "! *"#, TOLD),
    meant("errors", r#"- object.write from outside "->" "! *"#, TOLD),
    meant("errors", r#"+ object.write from outside "->" "! *"#, TOLD),
    meant("errors", r#"- symbol.write from outside "->" "! *"#, TOLD),
    meant("errors", r#"+ symbol.write from outside "->" "! *"#, TOLD),
    meant("errors", r#"- nothing.read from outside "->" "! *"#, TOLD),
    meant("errors", r#"+ nothing.read from outside "->" "! *"#, TOLD),
    meant("results", r#"- empty.write from outside "->" "-> *"#, TOLD),
    meant("results", r#"+ empty.write from outside "->" "*"#, TOLD),
    meant("results", r#"- nan.write from outside "->" "-> *"#, TOLD),
    meant("results", r#"+ nan.write from outside "->" "*"#, TOLD),
    meant("results", r#"- nil.write from outside "->" "-> *"#, TOLD),
    meant("results", r#"+ nil.write from outside "->" "*"#, TOLD),
    meant("results", r#"- date.write from outside "->" "-> *"#, TOLD),
    meant("results", r#"+ date.write from outside "->" "*"#, TOLD),
    meant("results", r#"- json.write from outside "->" "-> *"#, TOLD),
    meant("results", r#"+ json.write from outside "->" "*"#, TOLD),
    meant("results", r#"- boxed.write from outside "->" "-> *"#, TOLD),
    meant("results", r#"+ boxed.write from outside "->" "*"#, TOLD),
    meant("results", r#"- bigint.write from outside "->" "-> *"#, TOLD),
    meant("results", r#"+ bigint.write from outside "->" "*"#, TOLD),
    meant(
        "form-autosubmit",
        r#"+ on the form formdata true true false "FormDataEvent" 2"#,
        READ,
    ),
    meant(
        "form-autosubmit",
        r#"+ on the context toolactivated true false false "ToolActivatedEvent" 2"#,
        ACTIVE,
    ),
    meant(
        "form-autosubmit",
        r#"- on the context toolactivated true false false "ToolActivatedEvent" 2"#,
        ACTIVE,
    ),
    meant("frames", r#"- borrowed "->" "borrowed ran""#, BORROWED),
    meant(
        "frames",
        r#"+ borrowed "->" "The page has replaced or removed*"#,
        BORROWED,
    ),
    meant(
        "registration-errors",
        r#"- schema is circular "!" TypeError TypeError: Failed to execute*"#,
        SHORTER,
    ),
    meant(
        "registration-errors",
        r#"+ schema is circular "!" TypeError TypeError: *"#,
        SHORTER,
    ),
    meant(
        "registration-errors",
        r#"- schema with a bigint "!" TypeError TypeError: Failed to execute*"#,
        SHORTER,
    ),
    meant(
        "registration-errors",
        r#"+ schema with a bigint "!" TypeError TypeError: *"#,
        SHORTER,
    ),
    meant("registration-reads", r#"+ tool get "outputSchema""#, MEMBER),
    meant("stack", r#"- stack ["at run stack.html"]"#, STACK),
    meant("stack", r#"+ stack ["at run stack.html", *(<anonymous>:*"#, STACK),
    meant("stack", "- in the getter [*", STACK),
    meant("stack", "+ in the getter [*(<anonymous>:*", STACK),
    meant("stack", "- of attachShadow [*", STACK),
    meant("stack", "+ of attachShadow [*(<anonymous>:*", STACK),
];

const fn meant(page: &'static str, line: &'static str, because: &'static str) -> Meant {
    Meant { page, line, because }
}
