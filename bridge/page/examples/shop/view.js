// Shows the state. Text goes in as text only, and a value that changed glows for a moment so that the eye finds it.

const $ = (id) => document.getElementById(id);

const DRAWING = { coffee: "bag", cone: "cone", mug: "mug", notebook: "notebook", pen: "pen", letters: "letters" };

function put(element, text) {
  if (element.textContent === text) return;
  const first = element.textContent === "" || element.textContent === "–";
  element.textContent = text;
  if (!first) glow(element);
}

function glow(element) {
  element.classList.remove("glow");
  void element.offsetWidth; // Starts the animation again.
  element.classList.add("glow");
}

function fromTemplate(id) {
  return $(id).content.firstElementChild.cloneNode(true);
}

function stockText(stock) {
  if (stock === 0) return "Sold out";
  return stock <= 5 ? `Only ${stock} left` : `${stock} in stock`;
}

function showProduct(product, open, onAdd) {
  let item = $(`product-${product.id}`);
  if (!item) {
    item = fromTemplate("product");
    item.id = `product-${product.id}`;
    item.dataset.kind = product.kind;
    item.querySelector("use").setAttribute("href", `#${DRAWING[product.id] ?? DRAWING[product.kind]}`);
    item.querySelector("h3").textContent = product.name;
    item.querySelector(".about").textContent = product.about;
    const button = item.querySelector("button");
    button.setAttribute("aria-label", `Add ${product.name} to the basket`);
    button.addEventListener("click", () => onAdd(product.id, 1));
    $("shelf").append(item);
  }
  put(item.querySelector(".price output"), product.price);
  put(item.querySelector(".stock"), stockText(product.stock));
  item.classList.toggle("sold-out", product.stock === 0);
  item.querySelector("button").disabled = product.stock === 0 || !open;
}

function lineText({ name, quantity }) {
  return `${quantity} × ${name}`;
}

function showBasket(basket, onAdd) {
  $("basket").replaceChildren(
    ...basket.lines.map((line) => {
      const item = fromTemplate("line");
      item.querySelector(".what").textContent = lineText(line);
      item.querySelector(".amount").textContent = line.amount;
      const button = item.querySelector("button");
      button.setAttribute("aria-label", `Remove ${line.name} from the basket`);
      button.addEventListener("click", () => onAdd(line.product, -line.quantity));
      return item;
    }),
  );
  const empty = basket.lines.length === 0;
  $("basket-empty").hidden = !empty;
  $("basket-sums").hidden = empty;
  $("order-basket").hidden = empty;
  put($("basket-delivery"), basket.delivery === "0.00" ? "free" : basket.delivery);
  put($("basket-total"), `${basket.total} EUR`);
}

function showOrders(orders) {
  const list = $("orders");
  if (list.childElementCount > orders.length) list.replaceChildren();
  for (const order of orders.slice(list.childElementCount)) {
    const item = fromTemplate("placed");
    item.querySelector(".what").textContent = `No. ${order.number}: ${order.lines.map(lineText).join(", ")}`;
    item.querySelector(".amount").textContent = order.total;
    item.querySelector(".note").textContent = order.note;
    list.prepend(item);
    glow(item);
  }
  $("orders-empty").hidden = orders.length > 0;
}

let shown;

/** Shows a state, unless a newer one is on the screen already. */
export function show(state, onAdd) {
  if (shown && shown.revision >= state.revision) return;
  const first = shown === undefined;
  for (const product of state.products) showProduct(product, state.open, onAdd);
  showBasket(state.basket, onAdd);
  showOrders(state.orders);
  put($("balance"), state.balance);
  put($("order-count"), String(state.orders.length));
  put($("partner-views"), String(state.partnerViews));
  $("closed").hidden = state.open;
  $("monthly").checked = state.monthly;
  const note = $("note");
  // What somebody is typing is not written over.
  if (first || (shown.note !== state.note && document.activeElement !== note)) {
    note.value = state.note;
    if (!first) glow(note);
  }
  for (const control of [note, $("monthly"), $("order-basket"), $("helper")]) control.disabled = !state.open;
  shown = state;
  noteTyped();
}

/** The save button is there only while there is something to save. */
export function noteTyped() {
  $("save-note").hidden = $("note").value.trim() === shown?.note;
}

/** The line under the masthead that says whether agents can use the page. */
export function showWebmcp(on, text) {
  $("webmcp").classList.toggle("on", on);
  $("webmcp").textContent = text;
}

/** Says what went wrong, or with nothing to say is silent. */
export function showNotice(text = "") {
  $("notice").textContent = text;
  $("notice").hidden = text === "";
}
