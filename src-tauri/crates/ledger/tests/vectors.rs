//! RFC 8785's own examples (sections 3.2.2 and 3.2.3, appendix B).

use countersign_ledger::{LedgerError, canonical, parse_strict};
use proptest::prelude::*;
use serde_json::{Value, json};

#[test]
fn the_example_of_section_3_2_2() {
    let input = r#"{
        "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
        "literals": [null, true, false]
    }"#;
    let output = r#"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}"#;
    assert_eq!(canonical(&parse_strict(input).unwrap()).unwrap(), output);
}

#[test]
fn names_are_sorted_by_utf_16_as_in_section_3_2_3() {
    let value = json!({
        "\u{20ac}": "Euro Sign", "\r": "Carriage Return", "\u{fb33}": "Hebrew Letter Dalet With Dagesh", "1": "One",
        "\u{1f600}": "Emoji: Grinning Face", "\u{80}": "Control", "\u{f6}": "Latin Small Letter O With Diaeresis"
    });
    let text = canonical(&value).unwrap();
    let order = ["\\r", "1", "\u{80}", "\u{f6}", "\u{20ac}", "\u{1f600}", "\u{fb33}"];
    let places: Vec<_> = order
        .iter()
        .map(|name| text.find(&format!("\"{name}\":")).expect("the name is there"))
        .collect();
    assert!(places.is_sorted(), "{text}");
}

#[test]
fn the_numbers_of_appendix_b() {
    let vectors = [
        (0x0000_0000_0000_0000, "0"),
        (0x8000_0000_0000_0000, "0"),
        (0x0000_0000_0000_0001, "5e-324"),
        (0x8000_0000_0000_0001, "-5e-324"),
        (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
        (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
        (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
        (0x44b5_2d02_c7e1_4af6, "1e+23"),
        (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
        (0x444b_1ae4_d6e2_ef50, "1e+21"),
        (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
        (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
        (0x41b3_de43_5555_5553, "333333333.3333332"),
        (0x41b3_de43_5555_5554, "333333333.33333325"),
        (0x41b3_de43_5555_5555, "333333333.3333333"),
        (0x41b3_de43_5555_5556, "333333333.3333334"),
        (0x41b3_de43_5555_5557, "333333333.33333343"),
        (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
        (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
    ];
    for (bits, text) in vectors {
        let value = json!(f64::from_bits(bits));
        assert_eq!(canonical(&value).unwrap(), text, "{bits:016x}");
        let again = parse_strict(text).unwrap();
        assert_eq!(canonical(&again).unwrap(), text, "{text} does not read back as itself");
    }
}

/// Appendix B prints these too. Here they are refused: as text they are whole numbers that readers round.
#[test]
fn the_whole_ones_beyond_2_to_the_53_are_refused() {
    for bits in [
        0x4340_0000_0000_0000,
        0xc340_0000_0000_0000,
        0x4430_0000_0000_0000,
        0x444b_1ae4_d6e2_ef4e_u64,
    ] {
        let value: Value = json!([f64::from_bits(bits)]);
        assert!(
            matches!(canonical(&value), Err(LedgerError::UnsafeInteger { .. })),
            "{value}"
        );
    }
}

proptest! {
    /// What is shown and hashed reads back as what will run.
    #[test]
    fn canonical_text_reads_back_as_itself(number in any::<f64>(), name in ".{0,6}", text in ".{0,12}") {
        let value = json!({ name: [number, text, { "0": null }] });
        if let Ok(canonical_text) = canonical(&value) {
            let again = parse_strict(&canonical_text).unwrap();
            prop_assert_eq!(canonical(&again).unwrap(), canonical_text);
        }
    }
}
