// Shows the organisation. Each change a person could want is proposed by a button, through the same tools that agents call.

import { make } from "../held/make.js";
import { stopped, usesOf } from "./effects.js";
import { GRANTS, KEYS, ROLES, SERVICES } from "./organisation.js";
import { trailOf } from "./trail.js";

const $ = (id) => document.getElementById(id);
const AREAS = [...new Set(SERVICES.map(({ area }) => area))];
const OVERLAP = 24;

export function showNotice(words = "") {
  $("notice").textContent = words;
  $("notice").hidden = words === "";
}

let clearing;

/** Says what came of a call, for long enough to be read. */
export function showAnswer(words) {
  $("answer").textContent = words;
  clearTimeout(clearing);
  clearing = setTimeout(() => ($("answer").textContent = ""), 12_000);
}

const button = (words, name, click, disabled) =>
  make("button", { type: "button", "aria-label": name, click, disabled }, words);

function keyState({ status, written, hours }, uses) {
  if (status === "revoked") return "Revoked.";
  const used = uses.length === 0 ? "Nothing uses it" : `Used by ${uses.length} of ${SERVICES.length} services`;
  if (written === "overlap") return `${used}; the old secret works for ${hours} hours more.`;
  return `${used}.`;
}

function showKeys(state, propose) {
  $("keys").replaceChildren(
    ...KEYS.map(({ id, name, about }) => {
      const { status, ends } = state.keys[id];
      const over = status === "revoked" || !propose;
      return make(
        "li",
        {},
        make(
          "div",
          {},
          make("h3", {}, `${name} `, make("code", { class: "quiet" }, status === "revoked" ? "revoked" : `…${ends}`)),
          make("p", { class: "quiet" }, `For ${about}. ${keyState(state.keys[id], usesOf(id).direct)}`),
        ),
        make(
          "div",
          { class: "acts" },
          button(
            "Rotate",
            `Propose to rotate ${name}`,
            () => propose("rotate_key", { key: id, overlap_hours: OVERLAP }),
            over,
          ),
          button("Revoke", `Propose to revoke ${name}`, () => propose("revoke_key", { key: id }), over),
        ),
      );
    }),
  );
}

function showServices(state) {
  const key = $("looked").value;
  const { direct, through } = key ? usesOf(key) : { direct: [], through: [] };
  const down = stopped(state);
  const kindOf = (id) => {
    if (down.has(id)) return "stopped";
    if (direct.some((one) => one.id === id)) return "direct";
    return through.includes(id) ? "through" : "";
  };
  const title = (id) => (down.has(id) ? `Stopped: ${down.get(id)}` : undefined);
  $("services").replaceChildren(
    ...AREAS.map((area) =>
      make(
        "div",
        { class: "area" },
        make("h3", {}, area),
        make(
          "ul",
          {},
          SERVICES.filter((one) => one.area === area).map(({ id }) =>
            make("li", {}, make("span", { class: `tile ${kindOf(id)}`, title: title(id) }, id)),
          ),
        ),
      ),
    ),
  );
  const count = direct.length + through.length;
  $("looked-said").textContent = key ? `${count} of ${SERVICES.length} services, ${direct.length} at first hand` : "";
  $("running").textContent = `${SERVICES.length - down.size} of ${SERVICES.length}`;
  const active = KEYS.filter(({ id }) => state.keys[id].status === "active").length;
  $("active-keys").textContent = `${active} of ${KEYS.length}`;
}

function showMembers(state, propose) {
  $("members").replaceChildren(
    ...state.members.map(({ id, name, kind, roles }) =>
      make(
        "tr",
        {},
        make("th", { scope: "row" }, name, make("small", {}, kind)),
        make(
          "td",
          {},
          roles.length === 0
            ? make("span", { class: "quiet" }, "No role")
            : make(
                "ul",
                { class: "held-roles" },
                roles.map((role) =>
                  make(
                    "li",
                    {},
                    role,
                    button(
                      "Remove",
                      `Propose to take ${role} from ${name}`,
                      () => propose("remove_role", { member: id, role }),
                      !propose,
                    ),
                  ),
                ),
              ),
        ),
      ),
    ),
  );
}

function showRoles(state, propose) {
  $("roles").replaceChildren(
    ...Object.entries(state.roles).map(([role, grants]) =>
      make(
        "div",
        {},
        make("h3", {}, role),
        grants.length === 0
          ? make("p", { class: "quiet" }, "Nothing")
          : make(
              "ul",
              { class: "held-roles" },
              grants.map((grant) => {
                const take = () => propose("change_grant", { role, grant, allowed: false });
                return make(
                  "li",
                  {},
                  make("code", {}, grant),
                  button("×", `Propose to take ${grant} from ${role}`, take, !propose),
                );
              }),
            ),
      ),
    ),
  );
}

export function showTrail(entries) {
  $("trail").replaceChildren(
    ...trailOf(entries).map(({ entry, proposal, what, at, hash }) =>
      make(
        "li",
        {},
        make("span", {}, `${entry}. ${proposal ? `${proposal}: ` : ""}${what}`),
        make("span", { class: "quiet" }, `${new Date(at).toLocaleTimeString()} `, make("code", {}, hash)),
      ),
    ),
  );
}

/** Fills what does not change and listens. `propose` is absent where nothing can be proposed. */
export function prepare({ propose, looked }) {
  $("looked").append(
    make("option", { value: "" }, "no key"),
    ...KEYS.map(({ id, name }) => make("option", { value: id }, name)),
  );
  $("looked").value = "payments";
  $("looked").addEventListener("change", looked);
  $("grant-role").append(...Object.keys(ROLES).map((role) => make("option", {}, role)));
  $("grant").append(...GRANTS.map((grant) => make("option", {}, grant)));
  $("grant-form").querySelector("button").disabled = !propose;
  $("grant-form").addEventListener("submit", (event) => {
    event.preventDefault();
    propose?.("change_grant", { role: $("grant-role").value, grant: $("grant").value, allowed: true });
  });
}

/** Everything, as the state has it. */
export function show(state, propose) {
  showKeys(state, propose);
  showServices(state);
  showMembers(state, propose);
  showRoles(state, propose);
}
