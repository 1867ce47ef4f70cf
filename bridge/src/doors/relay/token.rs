use std::fmt;

use subtle::ConstantTimeEq;

use super::RelayError;

/// What opens the relay. It can be shown in the address for the person, and nowhere else: it is printed as its fingerprint.
#[derive(Clone)]
pub struct RelayToken(String);

impl RelayToken {
    /// A new one: 16 random bytes in hex.
    ///
    /// # Panics
    /// When the system has no randomness, since a token that can be guessed opens the door to everybody.
    pub fn random() -> Self {
        Self(random_hex())
    }

    /// One that was made elsewhere: 32 to 128 characters of `[A-Za-z0-9_-]`.
    ///
    /// # Errors
    /// [`RelayError::Token`].
    pub fn given(text: &str) -> Result<Self, RelayError> {
        let fits = (32..=128).contains(&text.len())
            && text
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
        fits.then(|| Self(text.to_owned())).ok_or(RelayError::Token)
    }

    /// Its first 8 characters: enough to tell one relay from another, too little to open one.
    pub fn fingerprint(&self) -> &str {
        &self.0[..8]
    }

    /// Whether this was shown. Takes as long for any text of the right length.
    pub(super) fn is(&self, shown: &str) -> bool {
        self.0.as_bytes().ct_eq(shown.as_bytes()).into()
    }

    pub(super) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for RelayToken {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "RelayToken({}…)", self.fingerprint())
    }
}

/// 32 hex characters nobody can guess.
pub(in crate::doors) fn random_hex() -> String {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).expect("the operating system has randomness");
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "0123456789abcdef0123456789abcdef";

    #[test]
    fn only_the_very_token_opens() {
        let token = RelayToken::given(TOKEN).unwrap();
        assert!(token.is(TOKEN));
        for other in [
            "",
            &TOKEN[1..],
            &TOKEN[..31],
            &TOKEN.to_uppercase(),
            &format!("{TOKEN}0"),
        ] {
            assert!(!token.is(other), "{other}");
        }
    }

    #[test]
    fn a_token_that_could_be_guessed_or_does_not_fit_an_address_is_not_taken() {
        for text in ["", "short", &"a".repeat(31), &"a".repeat(129), &"a&b=".repeat(10)] {
            assert!(matches!(RelayToken::given(text), Err(RelayError::Token)), "{text}");
        }
    }

    #[test]
    fn a_random_token_is_32_hex_characters_and_another_each_time() {
        let (one, other) = (RelayToken::random(), RelayToken::random());
        assert!(one.0.len() == 32 && one.0.bytes().all(|byte| byte.is_ascii_hexdigit()));
        assert_ne!(one.0, other.0);
    }

    #[test]
    fn a_token_is_printed_as_its_fingerprint() {
        let token = RelayToken::given(TOKEN).unwrap();
        assert_eq!(format!("{token:?}"), "RelayToken(01234567…)");
    }
}
