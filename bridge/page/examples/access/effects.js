// What a state of the organisation means for its services. Pure: a change is tried on a copy, and the two are compared.

import { SERVICES } from "./organisation.js";

/** What the roles of a member allow. */
export const grantsOf = (state, member) =>
  new Set(state.members.find(({ id }) => id === member).roles.flatMap((role) => state.roles[role]));

/** Why a service cannot run by itself, or `undefined`. */
function broken(state, { member, grant, keys }) {
  for (const { key, written } of keys) {
    const { status, written: old } = state.keys[key];
    if (status === "revoked") return `its key ${key} is revoked`;
    if (written && old === "dead") return `it still has the old key ${key}`;
  }
  return grantsOf(state, member).has(grant) ? undefined : `${member} may not ${grant}`;
}

/** Every service that does not run, with the reason; one that needs it does not run either. */
export function stopped(state) {
  const found = new Map();
  for (const service of SERVICES) {
    const why = broken(state, service);
    if (why) found.set(service.id, why);
  }
  for (let before = -1; before !== found.size;) {
    before = found.size;
    for (const { id, needs } of SERVICES) {
      const down = needs.find((need) => found.has(need));
      if (down && !found.has(id)) found.set(id, `it needs ${down}`);
    }
  }
  return found;
}

/** Every service that still runs on an old key for some hours. */
export const onOldKeys = (state) =>
  SERVICES.filter(({ keys }) => keys.some(({ key, written }) => written && state.keys[key].written === "overlap")).map(
    ({ id }) => id,
  );

/** Every service that no person may repair. */
export function unkept(state) {
  const people = state.members.filter(({ kind }) => kind === "person");
  const may = (grant) => people.some(({ id }) => grantsOf(state, id).has(grant));
  return SERVICES.filter(({ area }) => !may(`${area}:operate`)).map(({ id }) => id);
}

/** Every member without a role. */
export const shutOut = (state) => state.members.filter(({ roles }) => roles.length === 0).map(({ name }) => name);

/** Whether some person may still change access. */
export const isManaged = (state) =>
  state.members.some(({ id, kind }) => kind === "person" && grantsOf(state, id).has("access:manage"));

const added = (before, after) => after.filter((one) => !before.includes(one));

/** What a change of state breaks. */
export function broke(before, after) {
  const [was, is] = [stopped(before), stopped(after)];
  return {
    stops: [...is].filter(([id]) => !was.has(id)).map(([id, why]) => ({ id, why })),
    starts: [...was.keys()].filter((id) => !is.has(id)),
    unkept: added(unkept(before), unkept(after)),
    shutOut: added(shutOut(before), shutOut(after)),
    old: added(onOldKeys(before), onOldKeys(after)),
    unmanaged: isManaged(before) && !isManaged(after),
  };
}

/** What uses a key at first hand, and what needs one of these, whatever runs now. */
export function usesOf(key) {
  const direct = SERVICES.filter(({ keys }) => keys.some((use) => use.key === key));
  const reached = new Set(direct.map(({ id }) => id));
  for (let before = -1; before !== reached.size;) {
    before = reached.size;
    for (const { id, needs } of SERVICES) if (needs.some((need) => reached.has(need))) reached.add(id);
  }
  return {
    direct: direct.map(({ id, keys }) => ({ id, written: keys.some((use) => use.key === key && use.written) })),
    through: [...reached].slice(direct.length),
  };
}
