// Before, after, what breaks and what to mind, counted against everything there is.

import { broke, stopped } from "./effects.js";
import { SERVICES } from "./organisation.js";
import { CannotChange, CHANGES } from "./state.js";

const MOST_NAMED = 6;

function named(list) {
  const rest = list.length - MOST_NAMED;
  return rest > 0 ? `${list.slice(0, MOST_NAMED).join(", ")} and ${rest} more` : list.join(", ");
}

const plural = (count, one) => `${count} ${one}${count === 1 ? "" : "s"}`;

const oldSecret = ({ written, hours }) => {
  if (written === "current") return "is the secret";
  return written === "dead" ? "is refused" : `works for ${plural(hours, "hour")} more`;
};

/** The part of a state that a tool changes, as a person reads it. */
const PARTS = {
  revoke_key: ({ keys }, { key }) => ({ keys: { [key]: { state: keys[key].status } } }),
  rotate_key: ({ keys }, { key }) => ({
    keys: {
      [key]: {
        secret: keys[key].ends ? `…${keys[key].ends}` : "a new one, drawn at the release",
        old: oldSecret(keys[key]),
      },
    },
  }),
  remove_role: ({ members }, { member }) => {
    const { roles } = members.find(({ id }) => id === member);
    return { members: { [member]: roles.join(", ") || "no role" } };
  },
  change_grant: ({ roles }, { role, grant }) => ({
    roles: { [role]: { [grant]: roles[role].includes(grant) ? "allowed" : "not allowed" } },
  }),
};

const SUMMARY = {
  revoke_key: ({ key }) => `Revoke the key ${key}`,
  rotate_key: ({ key, overlap_hours: hours }) =>
    `Rotate the key ${key}, ${hours > 0 ? `the old one works for ${plural(hours, "hour")} more` : "the old one stops at once"}`,
  remove_role: ({ member, role }) => `Take the role ${role} from ${member}`,
  change_grant: ({ role, grant, allowed }) =>
    `${allowed ? "Allow" : "Take"} ${grant} ${allowed ? "to" : "from"} the role ${role}`,
};

/** Each service that would stop, start or lose its last keeper, with how it stands. */
function services(state, { stops, starts, unkept, old }, after) {
  const down = stopped(state);
  const line = (id) => {
    if (down.has(id)) return `stopped: ${down.get(id)}`;
    if (after && old.includes(id)) return "runs on the old key until it is changed by hand";
    return after && unkept.includes(id) ? "runs, and nobody may repair it" : "runs";
  };
  const ids = [...new Set([...stops.map(({ id }) => id), ...starts, ...unkept, ...old])];
  return Object.fromEntries(ids.map((id) => [id, line(id)]));
}

function risks(name, { stops, unkept, shutOut, old, unmanaged }) {
  const found = [];
  const add = (level, text) => found.push({ level, text });
  if (unmanaged) add("critical", "Nobody could change access any more.");
  if (stops.length > 0) add("critical", `Stops: ${named(stops.map(({ id }) => id))}.`);
  if (unkept.length > 0) add("caution", `Nobody may repair any more: ${named(unkept)}.`);
  if (old.length > 0)
    add("caution", `Has the key written into it and stops after the overlap unless it is changed: ${named(old)}.`);
  if (shutOut.length > 0) add("caution", `Without any role: ${named(shutOut)}.`);
  if (name === "revoke_key") add("note", "A revoked key cannot be brought back; a service needs a new one.");
  return found;
}

/** What a change would do. It is tried on a copy. */
export function preview(state, name, args) {
  let after;
  try {
    after = CHANGES[name](state, args);
  } catch (error) {
    if (error instanceof CannotChange) return { fails: error.message };
    throw error;
  }
  const effect = broke(state, after);
  const { stops, starts, unkept, old, shutOut } = effect;
  const all = String(SERVICES.length);
  const of = (list, label, unit, whole = all) => ({ label, amount: String(list.length), unit, of: whole });
  const items = [of(stops, "Services that stop", "services")];
  if (starts.length > 0) items.push(of(starts, "Services that start again", "services started"));
  if (unkept.length > 0) items.push(of(unkept, "Services nobody may repair any more", "services without a keeper"));
  if (old.length > 0) items.push(of(old, "Services to change by hand before the overlap ends", "services by hand"));
  if (shutOut.length > 0)
    items.push(of(shutOut, "Members left without a role", "members", String(state.members.length)));
  const counted =
    stops.length > 0
      ? `${plural(stops.length, "service")} of ${all} ${stops.length === 1 ? "stops" : "stop"}`
      : "nothing stops";
  const [was, is] = [services(state, effect, false), services(after, effect, true)];
  return {
    summary: `${SUMMARY[name](args)}: ${counted}`,
    before: { ...PARTS[name](state, args), ...(Object.keys(was).length > 0 && { services: was }) },
    after: { ...PARTS[name](after, args), ...(Object.keys(is).length > 0 && { services: is }) },
    cost: { items, tolerance: "0" },
    risks: risks(name, effect),
  };
}
