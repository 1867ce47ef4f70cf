// How the organisation stands, and the four changes it knows. A change makes a new state; nothing is changed in place.

import { KEYS, MEMBERS, ROLES } from "./organisation.js";

/** Why a change cannot be made. */
export class CannotChange extends Error {}

/** Draws a secret, hands it to whoever keeps it (nobody, here) and answers the four characters that may be seen. */
export function drawSecret() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes.slice(-2), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export const start = () => ({
  roles: structuredClone(ROLES),
  members: structuredClone(MEMBERS),
  // `written` is how the services fare that have the key written into them: on the key that is there, on one that overlaps, or on a dead one.
  keys: Object.fromEntries(
    KEYS.map(({ id }) => [id, { status: "active", ends: drawSecret(), turn: 1, written: "current" }]),
  ),
});

const withKey = (state, key, part) => ({ ...state, keys: { ...state.keys, [key]: { ...state.keys[key], ...part } } });

function activeKey(state, key) {
  if (state.keys[key].status !== "active") throw new CannotChange(`The key ${key} is revoked already.`);
  return state.keys[key];
}

/** By tool: what the state would be. `ends` is drawn by the commit only: a preview draws no secret. */
export const CHANGES = {
  revoke_key(state, { key }) {
    activeKey(state, key);
    return withKey(state, key, { status: "revoked" });
  },
  rotate_key(state, { key, overlap_hours: hours }, ends) {
    const { turn } = activeKey(state, key);
    return withKey(state, key, { turn: turn + 1, ends, hours, written: hours > 0 ? "overlap" : "dead" });
  },
  remove_role(state, { member, role }) {
    const found = state.members.find(({ id }) => id === member);
    if (!found.roles.includes(role)) throw new CannotChange(`${found.name} does not have the role ${role}.`);
    const roles = found.roles.filter((one) => one !== role);
    return { ...state, members: state.members.map((one) => (one === found ? { ...one, roles } : one)) };
  },
  change_grant(state, { role, grant, allowed }) {
    const has = state.roles[role].includes(grant);
    if (has === allowed) throw new CannotChange(`The role ${role} ${has ? "has" : "does not have"} ${grant} already.`);
    const grants = allowed ? [...state.roles[role], grant] : state.roles[role].filter((one) => one !== grant);
    return { ...state, roles: { ...state.roles, [role]: grants } };
  },
};

/** Time goes on until no old secret works any more. */
export const endOverlaps = (state) => ({
  ...state,
  keys: Object.fromEntries(
    Object.entries(state.keys).map(([id, key]) => [id, key.written === "overlap" ? { ...key, written: "dead" } : key]),
  ),
});
