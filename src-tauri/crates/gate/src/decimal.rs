use std::fmt;

const WHOLE_DIGITS: usize = 18;
const FRACTION_DIGITS: usize = 12;

/// An exact decimal number. Money never goes through a float.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Decimal {
    units: i128,
    scale: u32,
}

impl Decimal {
    pub(crate) const ZERO: Self = Self { units: 0, scale: 0 };

    /// Reads `-?digits(.digits)?`; everything else is not a number.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (negative, digits) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (whole, fraction) = match digits.split_once('.') {
            Some((whole, fraction)) if !fraction.is_empty() => (whole, fraction),
            Some(_) => return None,
            None => (digits, ""),
        };
        let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let fits = (1..=WHOLE_DIGITS).contains(&whole.len()) && fraction.len() <= FRACTION_DIGITS;
        if !fits || !all_digits(whole) || !all_digits(fraction) {
            return None;
        }
        let units: i128 = format!("{whole}{fraction}").parse().ok()?;
        Some(Self {
            units: if negative { -units } else { units },
            scale: fraction.len() as u32,
        })
    }

    /// The exact sum, or nothing when it does not fit.
    pub(crate) fn plus(self, other: Self) -> Option<Self> {
        let scale = self.scale.max(other.scale);
        Some(Self {
            units: self.at_scale(scale)?.checked_add(other.at_scale(scale)?)?,
            scale,
        })
    }

    /// Whether `now` is no further from this than the fraction `tolerance` of it. Without a tolerance: whether it is equal.
    pub(crate) fn holds(self, now: Self, tolerance: Option<Self>) -> bool {
        let scale = self.scale.max(now.scale);
        let (Some(shown), Some(now)) = (self.at_scale(scale), now.at_scale(scale)) else {
            return false;
        };
        let Some(difference) = now.checked_sub(shown) else {
            return false;
        };
        if difference == 0 {
            return true;
        }
        let Some(tolerance) = tolerance else { return false };
        let reach = shown.unsigned_abs().checked_mul(tolerance.units.unsigned_abs());
        let moved = difference.unsigned_abs().checked_mul(10_u128.pow(tolerance.scale));
        matches!((moved, reach), (Some(moved), Some(reach)) if moved <= reach)
    }

    /// A whole number of parts, of which the unit has `10^places`; nothing when it is not whole.
    pub(crate) fn shifted(self, places: u32) -> Option<Self> {
        (self.scale == 0).then_some(Self {
            units: self.units,
            scale: places,
        })
    }

    /// Whether this is between 0 and 1, both included.
    pub(crate) fn is_fraction(self) -> bool {
        let one = 10_i128.pow(self.scale);
        (0..=one).contains(&self.units)
    }

    fn at_scale(self, scale: u32) -> Option<i128> {
        self.units
            .checked_mul(10_i128.checked_pow(scale.checked_sub(self.scale)?)?)
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scale = self.scale as usize;
        let digits = format!("{:0width$}", self.units.unsigned_abs(), width = scale + 1);
        let (whole, fraction) = digits.split_at(digits.len() - scale);
        let sign = if self.units < 0 { "-" } else { "" };
        if scale == 0 {
            write!(f, "{sign}{whole}")
        } else {
            write!(f, "{sign}{whole}.{fraction}")
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Decimal;

    fn decimal(text: &str) -> Decimal {
        Decimal::parse(text).unwrap_or_else(|| panic!("{text} is a decimal"))
    }

    #[test]
    fn sums_are_exact() {
        assert_eq!(decimal("0.1").plus(decimal("0.20")).unwrap().to_string(), "0.30");
        assert_eq!(decimal("-1.50").plus(decimal("1.5")).unwrap().to_string(), "0.00");
        assert_eq!(decimal("007").plus(decimal("-9.05")).unwrap().to_string(), "-2.05");
    }

    #[test]
    fn what_is_not_a_decimal_is_nothing() {
        for text in [
            "",
            "-",
            ".",
            "1.",
            ".5",
            "1e3",
            "+1",
            "1,5",
            "0x1",
            "٣",
            "NaN",
            "1234567890123456789",
            "0.1234567890123",
        ] {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
    }

    #[test]
    fn tolerance_is_a_share_of_what_was_shown() {
        let tolerance = Some(decimal("0.01"));
        assert!(decimal("100.00").holds(decimal("101"), tolerance));
        assert!(!decimal("100.00").holds(decimal("101.01"), tolerance));
        assert!(decimal("-100").holds(decimal("-99"), tolerance));
        assert!(!decimal("0").holds(decimal("0.01"), tolerance));
        assert!(decimal("5").holds(decimal("5.00"), None));
        assert!(!decimal("5").holds(decimal("5.01"), None));
    }

    proptest! {
        #[test]
        fn text_of_a_decimal_reads_back(units in -10_i64.pow(17)..10_i64.pow(17), scale in 0_u32..12) {
            let decimal = Decimal { units: i128::from(units), scale };
            prop_assert_eq!(Decimal::parse(&decimal.to_string()), Some(decimal));
        }
    }
}
