// The organisation as it starts: accounts, roles, keys and services with what each needs. All of it is made up.

/** What a role allows. `<area>:operate` is what repairing a service of that area takes. */
export const ROLES = {
  owner: ["access:manage", "shop:operate", "pay:operate"],
  "shop operator": ["shop:operate", "post:operate"],
  "pay operator": ["pay:operate"],
  "data operator": ["data:operate"],
  "site operator": ["site:operate"],
  "base operator": ["base:operate", "data:operate"],
  storefront: ["orders:write", "stock:read", "customers:read"],
  batch: ["orders:read", "stock:write", "customers:read", "books:write"],
  builder: ["deploy", "metrics:write"],
};

export const GRANTS = [...new Set(Object.values(ROLES).flat())].sort();

export const MEMBERS = [
  { id: "operations-lead", name: "Operations lead", kind: "person", roles: ["owner"] },
  { id: "shop-desk", name: "Shop desk", kind: "person", roles: ["shop operator"] },
  { id: "finance-desk", name: "Finance desk", kind: "person", roles: ["pay operator"] },
  { id: "data-desk", name: "Data desk", kind: "person", roles: ["data operator"] },
  { id: "on-call", name: "On-call", kind: "person", roles: ["base operator", "site operator"] },
  { id: "contractor", name: "Contractor", kind: "person", roles: ["site operator"] },
  { id: "shop-robot", name: "Shop robot", kind: "robot", roles: ["storefront"] },
  { id: "night-robot", name: "Night robot", kind: "robot", roles: ["batch"] },
  { id: "build-robot", name: "Build robot", kind: "robot", roles: ["builder"] },
];

export const KEYS = [
  { id: "payments", name: "Payments", about: "card payments and refunds" },
  { id: "mail", name: "Mail", about: "letters to customers" },
  { id: "storage", name: "Storage", about: "files and pictures" },
  { id: "search", name: "Search", about: "the product index" },
  { id: "carrier", name: "Carrier", about: "labels and tracking" },
  { id: "metrics", name: "Metrics", about: "counters and alarms" },
  { id: "registry", name: "Registry", about: "what is built and deployed" },
  { id: "maps", name: "Maps", about: "addresses" },
];

// area, service | account grant | keys (! where it is written into the service and not read from the vault) | services it needs
const TABLE = `
shop catalogue | shop-robot stock:read | search, storage |
shop cart | shop-robot stock:read | | catalogue
shop checkout | shop-robot orders:write | payments | cart, prices
shop prices | shop-robot stock:read | | catalogue
shop vouchers | shop-robot orders:write | | cart
shop wishlist | shop-robot customers:read | | catalogue
shop reviews | shop-robot customers:read | storage | catalogue
shop gift-cards | shop-robot orders:write | payments! | checkout
shop order-history | shop-robot customers:read | | orders
shop orders | shop-robot orders:write | | stock
shop returns | shop-robot orders:write | mail | orders, refunds
shop stock | night-robot stock:write | |
pay card-payments | shop-robot orders:write | payments |
pay refunds | night-robot books:write | payments! | ledger
pay invoices | night-robot books:write | mail, storage | orders, ledger
pay ledger | night-robot books:write | |
pay payouts | night-robot books:write | payments | ledger
pay tax-report | night-robot books:write | storage | ledger
pay fraud-check | night-robot orders:read | metrics | card-payments
pay reminders | night-robot books:write | mail! | invoices
post labels | night-robot orders:read | carrier! | orders
post tracking | night-robot orders:read | carrier | labels
post delivery-news | night-robot customers:read | mail | tracking
post pick-lists | night-robot stock:write | | orders, stock
post returns-desk | night-robot orders:read | carrier | labels, returns
post customs-forms | night-robot orders:read | storage | labels
data warehouse | night-robot orders:read | storage! | orders
data daily-figures | night-robot orders:read | | warehouse
data forecasts | night-robot stock:write | | warehouse
data segments | night-robot customers:read | | warehouse
data newsletter | night-robot customers:read | mail! | segments
data exports | night-robot orders:read | storage | warehouse
data reorder | night-robot stock:write | | forecasts, stock
data index-feed | night-robot stock:write | search! | stock
data dashboards | night-robot orders:read | metrics | daily-figures
site home | shop-robot stock:read | storage | catalogue
site search-box | shop-robot stock:read | search |
site pictures | shop-robot stock:read | storage |
site journal | shop-robot stock:read | storage | pictures
site store-finder | shop-robot stock:read | |
site contact-form | shop-robot customers:read | mail |
site sitemap | shop-robot stock:read | | catalogue
site preview | build-robot deploy | registry! | home
base deployer | build-robot deploy | registry |
base image-builder | build-robot deploy | registry, storage |
base alarms | build-robot metrics:write | metrics! |
base uptime | build-robot metrics:write | metrics |
base log-store | build-robot metrics:write | storage! |
base backups | night-robot orders:read | storage! |
base restore-drill | night-robot orders:read | | backups
base certificates | build-robot deploy | registry | deployer
base status-page | build-robot metrics:write | | uptime
`;

const names = (list) =>
  list
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean);

export const SERVICES = TABLE.trim()
  .split("\n")
  .map((line) => {
    const [who, account, keys, needs] = line.split("|").map((part) => part.trim());
    const [area, id] = who.split(" ");
    const [member, grant] = account.split(" ");
    const uses = names(keys).map((key) => ({ key: key.replace("!", ""), written: key.endsWith("!") }));
    return { id, area, member, grant, keys: uses, needs: names(needs) };
  });
