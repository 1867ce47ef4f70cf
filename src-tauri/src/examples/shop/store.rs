//! What the shop knows and how it changes. Pure: no clock, no network.

use serde::{Serialize, Serializer};

/// Delivery costs this much…
const DELIVERY: Euro = Euro(390);
/// …below this sum of goods.
const FREE_DELIVERY_FROM: Euro = Euro(4_000);
/// The most pieces of one product in one order.
pub const MOST_AT_ONCE: i64 = 10;
/// The longest delivery note, in characters.
pub const LONGEST_NOTE: usize = 200;

/// An amount of money in cents; written as a decimal string such as `9.80`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Euro(pub i64);

impl std::fmt::Display for Euro {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{:02}", self.0 / 100, self.0 % 100)
    }
}

impl Serialize for Euro {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// One thing on the shelf.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Product {
    /// Short name used in calls, such as `espresso`.
    pub id: &'static str,
    /// The name on the label.
    pub name: &'static str,
    /// What is in it.
    pub about: &'static str,
    /// `coffee`, `kitchen` or `paper`.
    pub kind: &'static str,
    /// Price of one piece.
    pub price: Euro,
    /// Pieces on the shelf.
    pub stock: i64,
}

/// Pieces of one product, priced.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// The product's id.
    pub product: &'static str,
    /// The product's name.
    pub name: &'static str,
    /// How many.
    pub quantity: i64,
    /// Price of all of them.
    pub amount: Euro,
}

/// What an order would cost, or did.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Quote {
    /// What is ordered.
    pub lines: Vec<Line>,
    /// Delivery, `0.00` when free.
    pub delivery: Euro,
    /// Everything.
    pub total: Euro,
    /// The prepaid balance before.
    pub balance: Euro,
    /// The prepaid balance after.
    pub balance_after: Euro,
}

/// An order that was placed and paid.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Order {
    /// Counted from 1001.
    pub number: u64,
    /// What was ordered.
    pub lines: Vec<Line>,
    /// What was paid, delivery included.
    pub total: Euro,
    /// The delivery note it carries.
    pub note: String,
}

/// Why the shop did not do it. Nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// Stable name, such as `sold-out`.
    pub error: &'static str,
    /// In words.
    pub message: String,
}

fn refuse<T>(error: &'static str, message: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal {
        error,
        message: message.into(),
    })
}

/// Everything the page shows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Shop {
    /// Counts changes, so that a page can tell an old answer from a new one.
    pub revision: u64,
    products: Vec<Product>,
    basket: Vec<(&'static str, i64)>,
    orders: Vec<Order>,
    balance: Euro,
    note: String,
    monthly: bool,
    open: bool,
    partner_views: u64,
}

impl Default for Shop {
    fn default() -> Self {
        let product = |id, name, about, kind, cents, stock| Product {
            id,
            name,
            about,
            kind,
            price: Euro(cents),
            stock,
        };
        Self {
            revision: 1,
            products: vec![
                product(
                    "espresso",
                    "Harbour espresso",
                    "Dark, 250 g of beans",
                    "coffee",
                    980,
                    14,
                ),
                product("filter", "Morning filter", "Light, 250 g of beans", "coffee", 840, 22),
                product("decaf", "Dusk decaf", "Medium, 250 g of beans", "coffee", 920, 6),
                product(
                    "cone",
                    "Pour-over cone",
                    "Glazed, for one to two cups",
                    "kitchen",
                    1_850,
                    5,
                ),
                product("mug", "Stoneware mug", "Holds 300 ml", "kitchen", 1_400, 9),
                product("notebook", "Dotted notebook", "A5, 160 pages", "paper", 1_150, 17),
                product("pen", "Brass pen", "Refillable, 0.7 mm", "paper", 3_200, 3),
                product("letters", "Letter set", "20 sheets, 10 envelopes", "paper", 790, 0),
            ],
            basket: Vec::new(),
            orders: Vec::new(),
            balance: Euro(12_000),
            note: "Leave it with the neighbour at no. 4.".into(),
            monthly: false,
            open: true,
            partner_views: 0,
        }
    }
}

impl Shop {
    /// The whole state as the page reads it, with the basket priced.
    pub fn view(&self) -> serde_json::Value {
        let lines: Vec<Line> = self
            .basket
            .iter()
            .filter_map(|(id, quantity)| self.line(id, *quantity))
            .collect();
        let goods = sum(&lines);
        let delivery = delivery(goods, &lines);
        serde_json::json!({
            "revision": self.revision,
            "products": self.products,
            "basket": { "lines": lines, "delivery": delivery, "total": Euro(goods.0 + delivery.0) },
            "orders": self.orders,
            "balance": self.balance,
            "currency": "EUR",
            "freeDeliveryFrom": FREE_DELIVERY_FROM,
            "note": self.note,
            "monthly": self.monthly,
            "open": self.open,
            "partnerViews": self.partner_views,
        })
    }

    /// Adds to the basket, or takes out of it when `quantity` is negative.
    pub fn put_in_basket(&mut self, product: &str, quantity: i64) -> Result<(), Refusal> {
        self.account_is_open()?;
        let found = self.product(product)?;
        let (id, name, stock) = (found.id, found.name, found.stock);
        if quantity == 0 || !(-MOST_AT_ONCE..=MOST_AT_ONCE).contains(&quantity) {
            return refuse(
                "bad-quantity",
                format!("The quantity must be a whole number from 1 to {MOST_AT_ONCE}."),
            );
        }
        let there = self
            .basket
            .iter()
            .find(|(other, _)| *other == id)
            .map_or(0, |(_, quantity)| *quantity);
        let wanted = (there + quantity).max(0);
        if quantity > 0 && wanted > stock {
            return refuse(
                if stock == 0 { "sold-out" } else { "not-enough-stock" },
                left(name, stock),
            );
        }
        self.basket.retain(|(other, _)| *other != id);
        if wanted > 0 {
            self.basket.push((id, wanted));
        }
        self.changed()
    }

    /// What an order of one product would cost. The order itself is priced by the same function.
    pub fn quote(&self, product: &str, quantity: i64) -> Result<Quote, Refusal> {
        let found = self.product(product)?;
        if !(1..=MOST_AT_ONCE).contains(&quantity) {
            return refuse(
                "bad-quantity",
                format!("The quantity must be a whole number from 1 to {MOST_AT_ONCE}."),
            );
        }
        self.price(&[(found.id, quantity)])
    }

    /// Orders one product and pays it.
    pub fn order(&mut self, product: &str, quantity: i64) -> Result<Order, Refusal> {
        let quote = self.quote(product, quantity)?;
        self.place(quote)
    }

    /// Orders what is in the basket and empties it.
    pub fn order_basket(&mut self) -> Result<Order, Refusal> {
        if self.basket.is_empty() {
            return refuse("empty-basket", "The basket is empty.");
        }
        let quote = self.price(&self.basket)?;
        self.basket.clear();
        self.place(quote)
    }

    /// Sets the note that new orders carry.
    pub fn set_note(&mut self, note: &str) -> Result<(), Refusal> {
        self.account_is_open()?;
        if note.chars().count() > LONGEST_NOTE {
            return refuse(
                "note-too-long",
                format!("A delivery note has at most {LONGEST_NOTE} characters."),
            );
        }
        self.note = note.trim().to_owned();
        self.changed()
    }

    /// Starts or stops the monthly bag.
    pub fn set_monthly(&mut self, on: bool) -> Result<(), Refusal> {
        self.account_is_open()?;
        self.monthly = on;
        self.changed()
    }

    /// Tells the shop's partners that somebody looked at a product.
    pub fn track(&mut self, product: &str) -> Result<(), Refusal> {
        self.product(product)?;
        self.partner_views += 1;
        self.changed()
    }

    /// Closes the account: the balance is lost, and nothing can be ordered any more.
    pub fn close_account(&mut self) -> Result<(), Refusal> {
        self.account_is_open()?;
        self.open = false;
        self.balance = Euro(0);
        self.basket.clear();
        self.monthly = false;
        self.changed()
    }

    /// The shopkeeper raises every price by a percentage, rounded up to the cent.
    pub fn raise_prices(&mut self, percent: i64) -> Result<(), Refusal> {
        if !(1..=50).contains(&percent) {
            return refuse("bad-percent", "Prices rise by 1 to 50 percent.");
        }
        for product in &mut self.products {
            product.price = Euro((product.price.0 * (100 + percent) + 99).div_euclid(100).min(99_900));
        }
        self.changed()
    }

    /// Everything as on the first morning; the revision goes on counting.
    pub fn start_over(&mut self) -> Result<(), Refusal> {
        *self = Self {
            revision: self.revision,
            ..Self::default()
        };
        self.changed()
    }

    fn place(&mut self, quote: Quote) -> Result<Order, Refusal> {
        for line in &quote.lines {
            if let Some(product) = self.products.iter_mut().find(|product| product.id == line.product) {
                product.stock -= line.quantity;
            }
        }
        self.balance = quote.balance_after;
        let number = 1_001 + self.orders.len() as u64;
        let order = Order {
            number,
            lines: quote.lines,
            total: quote.total,
            note: self.note.clone(),
        };
        self.orders.push(order.clone());
        self.changed()?;
        Ok(order)
    }

    fn price(&self, wanted: &[(&'static str, i64)]) -> Result<Quote, Refusal> {
        self.account_is_open()?;
        for (id, quantity) in wanted {
            let product = self.product(id)?;
            if *quantity > product.stock {
                let error = if product.stock == 0 {
                    "sold-out"
                } else {
                    "not-enough-stock"
                };
                return refuse(error, left(product.name, product.stock));
            }
        }
        let lines: Vec<Line> = wanted
            .iter()
            .filter_map(|(id, quantity)| self.line(id, *quantity))
            .collect();
        let goods = sum(&lines);
        let delivery = delivery(goods, &lines);
        let total = Euro(goods.0 + delivery.0);
        if total > self.balance {
            let message = format!("It costs {total} EUR, and the prepaid balance is {} EUR.", self.balance);
            return refuse("balance-too-low", message);
        }
        let balance_after = Euro(self.balance.0 - total.0);
        Ok(Quote {
            lines,
            delivery,
            total,
            balance: self.balance,
            balance_after,
        })
    }

    fn line(&self, id: &str, quantity: i64) -> Option<Line> {
        let product = self.products.iter().find(|product| product.id == id)?;
        let amount = Euro(product.price.0 * quantity);
        Some(Line {
            product: product.id,
            name: product.name,
            quantity,
            amount,
        })
    }

    fn product(&self, id: &str) -> Result<&Product, Refusal> {
        let found = self.products.iter().find(|product| product.id == id);
        found.map_or_else(
            || refuse("no-such-product", "There is no product with this id in the shop."),
            Ok,
        )
    }

    fn account_is_open(&self) -> Result<(), Refusal> {
        if self.open {
            Ok(())
        } else {
            refuse("account-closed", "The account is closed. Start over to open a new one.")
        }
    }

    fn changed(&mut self) -> Result<(), Refusal> {
        self.revision += 1;
        Ok(())
    }
}

fn sum(lines: &[Line]) -> Euro {
    Euro(lines.iter().map(|line| line.amount.0).sum())
}

fn delivery(goods: Euro, lines: &[Line]) -> Euro {
    if lines.is_empty() || goods >= FREE_DELIVERY_FROM {
        Euro(0)
    } else {
        DELIVERY
    }
}

fn left(name: &str, stock: i64) -> String {
    if stock == 0 {
        format!("{name} is sold out.")
    } else {
        format!("Only {stock} of {name} are left.")
    }
}
