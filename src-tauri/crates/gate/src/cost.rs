use countersign_contract::wire::{PreviewCost, PreviewCostItem};
use countersign_contract::{Basis, Cost, CostItem, CostTotal, Moved};

use crate::At;
use crate::decimal::Decimal;

/// A page's price. What cannot be read as a number counts as not measured, never as zero.
pub(crate) fn quoted(answer: Option<PreviewCost>, at: &At) -> Cost {
    let Some(answer) = answer.filter(|answer| !answer.items.is_empty()) else {
        return Cost::default();
    };
    let mut totals: Vec<(String, Decimal)> = Vec::new();
    let mut items = Vec::with_capacity(answer.items.len());
    for item in answer.items {
        items.push(priced(item, &mut totals));
    }
    let as_of = answer.as_of.filter(|time| time.parse::<jiff::Timestamp>().is_ok());
    Cost {
        not_measured: items.iter().filter(|item| item.basis == Basis::NotMeasured).count() as u32,
        items,
        totals: totals
            .into_iter()
            .map(|(unit, sum)| CostTotal {
                amount: sum.to_string(),
                unit,
            })
            .collect(),
        as_of: Some(as_of.unwrap_or_else(|| at.utc.clone())),
        tolerance: answer
            .tolerance
            .filter(|tolerance| Decimal::parse(tolerance).is_some_and(Decimal::is_fraction))
            .map(|tolerance| tolerance.trim().to_owned()),
    }
}

fn priced(item: PreviewCostItem, totals: &mut Vec<(String, Decimal)>) -> CostItem {
    let PreviewCostItem {
        label,
        amount,
        unit,
        of,
    } = item;
    let unit = unit.trim().to_owned();
    let amount = amount.filter(|text| Decimal::parse(text).is_some_and(|amount| add(totals, &unit, amount)));
    CostItem {
        basis: if amount.is_some() {
            Basis::Quoted
        } else {
            Basis::NotMeasured
        },
        label,
        amount: amount.map(|text| text.trim().to_owned()),
        unit,
        of: of
            .filter(|text| Decimal::parse(text).is_some())
            .map(|text| text.trim().to_owned()),
    }
}

/// Adds to the total of a unit; `false` when the sum cannot be kept exactly.
fn add(totals: &mut Vec<(String, Decimal)>, unit: &str, amount: Decimal) -> bool {
    let place = totals.iter().position(|(known, _)| known == unit);
    let sum = place.map_or(Decimal::ZERO, |place| totals[place].1).plus(amount);
    match (sum, place) {
        (Some(sum), Some(place)) => totals[place].1 = sum,
        (Some(sum), None) => totals.push((unit.to_owned(), sum)),
        (None, _) => return false,
    }
    true
}

/// What moved further than the shown price allows, item by item and in the totals.
pub(crate) fn moved(shown: &Cost, now: &Cost) -> Vec<Moved> {
    let tolerance = shown.tolerance.as_deref().and_then(Decimal::parse);
    let mut moved = Vec::new();
    for place in 0..shown.items.len().max(now.items.len()) {
        let (before, after) = (shown.items.get(place), now.items.get(place));
        let holds = matches!((before, after), (Some(before), Some(after)) if item_holds(before, after, tolerance));
        if !holds {
            moved.push(cost_moved(before.map(item_words), after.map(item_words)));
        }
    }
    if moved.is_empty() {
        for total in &shown.totals {
            let after = now.totals.iter().find(|after| after.unit == total.unit);
            if !after.is_some_and(|after| amount_holds(Some(&total.amount), Some(&after.amount), tolerance)) {
                moved.push(cost_moved(Some(total_words(total)), after.map(total_words)));
            }
        }
    }
    moved
}

fn item_holds(before: &CostItem, after: &CostItem, tolerance: Option<Decimal>) -> bool {
    before.label == after.label
        && before.unit == after.unit
        && amount_holds(before.amount.as_deref(), after.amount.as_deref(), tolerance)
        && amount_holds(before.of.as_deref(), after.of.as_deref(), tolerance)
}

fn amount_holds(before: Option<&str>, after: Option<&str>, tolerance: Option<Decimal>) -> bool {
    match (before.and_then(Decimal::parse), after.and_then(Decimal::parse)) {
        (Some(before), Some(after)) => before.holds(after, tolerance),
        (None, None) => before.is_none() && after.is_none(),
        _ => false,
    }
}

fn cost_moved(before: Option<String>, after: Option<String>) -> Moved {
    let gone = || "not priced".to_owned();
    Moved {
        what: "cost".into(),
        before: before.unwrap_or_else(gone),
        after: after.unwrap_or_else(gone),
    }
}

/// A cost item in words, such as `Postage: 4.90 EUR`.
fn item_words(item: &CostItem) -> String {
    let amount = item.amount.as_deref().unwrap_or("not measured");
    let of = item.of.as_deref().map(|of| format!(" of {of}")).unwrap_or_default();
    format!("{}: {amount} {}{of}", item.label, item.unit)
        .trim_end()
        .to_owned()
}

fn total_words(total: &CostTotal) -> String {
    format!("total {} {}", total.amount, total.unit).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: &str = "2026-01-01T00:00:00.000Z";

    fn item(label: &str, amount: Option<&str>, unit: &str) -> PreviewCostItem {
        PreviewCostItem {
            label: label.into(),
            amount: amount.map(Into::into),
            unit: unit.into(),
            of: None,
        }
    }

    fn cost(items: Vec<PreviewCostItem>, tolerance: Option<&str>) -> Cost {
        quoted(
            Some(PreviewCost {
                items,
                as_of: None,
                tolerance: tolerance.map(Into::into),
            }),
            &At::new(0, NOW),
        )
    }

    #[test]
    fn totals_go_by_unit_and_leave_out_what_was_not_measured() {
        let cost = cost(
            vec![
                item("Tea", Some("12.10"), "EUR"),
                item("Postage", Some("4.9"), "EUR"),
                item("Customs", None, "EUR"),
                item("Things that break", Some("7"), "things"),
                item("Fee", Some("free"), "EUR"),
            ],
            None,
        );
        assert_eq!(
            cost.totals,
            [
                CostTotal {
                    amount: "17.00".into(),
                    unit: "EUR".into()
                },
                CostTotal {
                    amount: "7".into(),
                    unit: "things".into()
                }
            ]
        );
        assert_eq!(cost.not_measured, 2);
        assert_eq!(
            (cost.items[4].amount.as_deref(), cost.items[4].basis),
            (None, Basis::NotMeasured)
        );
        assert_eq!(cost.as_of.as_deref(), Some(NOW));
    }

    #[test]
    fn an_amount_without_a_sum_is_not_a_total() {
        let cost = cost(vec![item("Tea", None, "EUR")], None);
        assert_eq!(
            (cost.totals.len(), cost.not_measured),
            (0, 1),
            "not measured is never zero"
        );
    }

    #[test]
    fn nothing_said_is_no_cost() {
        assert_eq!(quoted(None, &At::new(0, NOW)), Cost::default());
        assert_eq!(cost(vec![], Some("0.5")), Cost::default());
    }

    #[test]
    fn a_tolerance_that_is_no_fraction_is_none() {
        for tolerance in ["2", "-0.1", "1 %", ""] {
            assert_eq!(
                cost(vec![item("Tea", Some("1"), "EUR")], Some(tolerance)).tolerance,
                None,
                "{tolerance}"
            );
        }
    }

    #[test]
    fn a_price_moves_beyond_its_tolerance_only() {
        let shown = cost(vec![item("Tea", Some("100.00"), "EUR")], Some("0.01"));
        let at = |amount| cost(vec![item("Tea", Some(amount), "EUR")], Some("0.9"));
        assert_eq!(moved(&shown, &at("100.90")), []);
        assert_eq!(
            moved(&shown, &at("101.10")),
            [Moved {
                what: "cost".into(),
                before: "Tea: 100.00 EUR".into(),
                after: "Tea: 101.10 EUR".into()
            }],
            "the tolerance that was shown counts, not the new one"
        );
    }

    #[test]
    fn a_price_that_is_not_measured_any_more_has_moved() {
        let shown = cost(vec![item("Tea", Some("1"), "EUR")], Some("1"));
        let now = cost(vec![item("Tea", None, "EUR")], Some("1"));
        assert_eq!(
            moved(&shown, &now),
            [Moved {
                what: "cost".into(),
                before: "Tea: 1 EUR".into(),
                after: "Tea: not measured EUR".into()
            }]
        );
        assert_eq!(moved(&shown, &Cost::default()).len(), 1);
        assert_eq!(moved(&Cost::default(), &now).len(), 1);
    }

    #[test]
    fn another_denominator_is_another_price() {
        let of = |of: &str| {
            cost(
                vec![PreviewCostItem {
                    of: Some(of.into()),
                    ..item("Broken", Some("7"), "things")
                }],
                None,
            )
        };
        assert_eq!(moved(&of("52"), &of("8")).len(), 1);
    }

    #[test]
    fn totals_of_opposite_items_are_held_to_the_tolerance_too() {
        let at = |plus, minus| {
            cost(
                vec![item("Buy", Some(plus), "EUR"), item("Sell", Some(minus), "EUR")],
                Some("0.1"),
            )
        };
        assert_eq!(
            moved(&at("100", "-99"), &at("105", "-95")),
            [Moved {
                what: "cost".into(),
                before: "total 1 EUR".into(),
                after: "total 10 EUR".into()
            }]
        );
    }
}
