use serde_json::Value;

/// The characters in the texts and keys of a value that do not show, or that change how others show: each once, in order.
pub(crate) fn invisible(value: &Value) -> Vec<char> {
    let mut found = Vec::new();
    search(value, &mut found);
    found
}

fn search(value: &Value, found: &mut Vec<char>) {
    match value {
        Value::String(text) => search_text(text, found),
        Value::Array(items) => items.iter().for_each(|item| search(item, found)),
        Value::Object(members) => members.iter().for_each(|(key, value)| {
            search_text(key, found);
            search(value, found);
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn search_text(text: &str, found: &mut Vec<char>) {
    let mut before = None;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let hides = match c {
            // Joiners belong to emoji and to several scripts; beside ASCII they only make two texts look the same.
            '\u{200c}' | '\u{200d}' => {
                before.is_some_and(|c: char| c.is_ascii()) || rest.peek().is_some_and(char::is_ascii)
            }
            '\n' | '\r' | '\t' => false,
            _ => c.is_control() || is_invisible(c),
        };
        if hides && !found.contains(&c) {
            found.push(c);
        }
        before = Some(c);
    }
}

fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
        | '\u{200b}' | '\u{200e}' | '\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::invisible;

    #[test]
    fn marks_that_turn_text_around_are_found_in_keys_and_in_depth() {
        assert_eq!(
            invisible(&json!({"a": [{"to\u{202e}": "x\u{200b}y\u{200b}"}]})),
            ['\u{202e}', '\u{200b}']
        );
    }

    #[test]
    fn controls_and_tag_characters_are_found() {
        assert_eq!(
            invisible(&json!("a\u{0}b\u{7f}\u{e0041}")),
            ['\u{0}', '\u{7f}', '\u{e0041}']
        );
    }

    #[test]
    fn ordinary_text_is_left_alone() {
        assert_eq!(invisible(&json!("two\nlines\tÆ 漢 👩\u{200d}💻 می\u{200c}خواهم")), []);
    }

    #[test]
    fn a_joiner_between_letters_of_ascii_is_found() {
        assert_eq!(invisible(&json!("pay\u{200d}pal")), ['\u{200d}']);
    }
}
