use countersign_ledger::sha256_hex;
use proptest::prelude::*;
use serde_json::json;

use super::*;

#[test]
fn the_key_in_the_manifest_makes_the_id() {
    let manifest: Value = serde_json::from_str(include_str!("../../page/extension/manifest.json")).unwrap();
    let key = STANDARD.decode(manifest["key"].as_str().unwrap()).unwrap();
    let digits = sha256_hex(&key);
    let letter = |digit: char| char::from(b'a' + u8::try_from(digit.to_digit(16).unwrap()).unwrap());
    let id: String = digits.chars().take(32).map(letter).collect();
    assert_eq!(id, EXTENSION_ID);
}

#[test]
fn only_our_own_extension_is_served() {
    assert!(is_ours(&format!("chrome-extension://{EXTENSION_ID}/")));
    for other in [
        "",
        "chrome-extension:///",
        "chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/",
        &format!("chrome-extension://{EXTENSION_ID}"),
        &format!("chrome-extension://{EXTENSION_ID}/x/"),
        &format!("https://{EXTENSION_ID}/"),
    ] {
        assert!(!is_ours(other), "{other}");
    }
}

fn framed(text: &[u8]) -> Vec<u8> {
    let mut framed = u32::try_from(text.len()).unwrap().to_ne_bytes().to_vec();
    framed.extend(text);
    framed
}

#[test]
fn what_is_too_long_is_named_and_what_follows_is_heard() {
    let mut input = framed(&vec![b'1'; LONGEST_FROM_BROWSER + 1]);
    input.extend(framed(br#"{"to":"start"}"#));
    let mut input = input.as_slice();
    let named = read(&mut input).unwrap().unwrap_err();
    assert!(named.contains("was not sent"), "{named}");
    assert_eq!(read(&mut input).unwrap(), Ok(ToHost::Start));
    assert!(read(&mut input).is_err());
}

#[test]
fn a_long_message_goes_to_the_browser_in_parts_that_make_it_whole() {
    let message = FromHost::App {
        message: json!({ "text": "ä\u{1}".repeat(900_000) }),
    };
    let mut output = Vec::new();
    tell(&mut output, &message).unwrap();
    let (mut rest, mut whole, mut parts) = (output.as_slice(), Vec::new(), 0);
    while !rest.is_empty() {
        let (length, after) = rest.split_at(4);
        let length = u32::from_ne_bytes(length.try_into().unwrap()) as usize;
        assert!(length <= LONGEST_TO_BROWSER);
        let FromHost::Part { last, base64 } = serde_json::from_slice(&after[..length]).unwrap() else {
            panic!("it is a part")
        };
        whole.extend(STANDARD.decode(base64).unwrap());
        rest = &after[length..];
        parts += 1;
        assert_eq!(last, rest.is_empty());
    }
    assert!(parts > 1);
    assert_eq!(serde_json::from_slice::<FromHost>(&whole).unwrap(), message);
}

proptest! {
    #[test]
    fn torn_and_wrong_input_ends_or_is_named(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let mut input = bytes.as_slice();
        while read(&mut input).is_ok() {}
        let mut input = &framed(&bytes)[..];
        prop_assert!(read(&mut input).unwrap().is_err() || serde_json::from_slice::<ToHost>(&bytes).is_ok());
    }
}
