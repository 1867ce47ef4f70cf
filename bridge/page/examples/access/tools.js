// What the console offers to agents. No answer holds a secret: the page keeps four characters of each.

import { grantsOf, stopped, usesOf } from "./effects.js";
import { GRANTS, KEYS, MEMBERS, ROLES, SERVICES } from "./organisation.js";
import { preview } from "./previews.js";
import { CHANGES, drawSecret } from "./state.js";
import { trailOf } from "./trail.js";

const pick = (list, description) => ({ type: "string", enum: list, description });
const KEY = pick(
  KEYS.map(({ id }) => id),
  "The key.",
);
const MEMBER = pick(
  MEMBERS.map(({ id }) => id),
  "The member.",
);
const ROLE = pick(Object.keys(ROLES), "The role.");
const GRANT = pick(GRANTS, "What the role allows.");
const schema = (properties, required = Object.keys(properties)) => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});

function accessNow(state, { member }) {
  const asked = state.members.filter(({ id }) => member === undefined || id === member);
  return {
    members: asked.map(({ id, kind, roles }) => ({ member: id, kind, roles, may: [...grantsOf(state, id)].sort() })),
    ...(member === undefined && {
      roles: state.roles,
      keys: KEYS.map(({ id }) => ({ key: id, state: state.keys[id].status, secretEnds: state.keys[id].ends })),
    }),
  };
}

function usesNow(state, { key }) {
  const { direct, through } = usesOf(key);
  return {
    key,
    state: state.keys[key].status,
    secretEnds: state.keys[key].ends,
    usedBy: direct.map(({ id, written }) => ({ service: id, from: written ? "written into it" : "the vault" })),
    neededThrough: through,
    running: `${SERVICES.length - stopped(state).size} of ${SERVICES.length} services`,
  };
}

/** Offers what only reads. `held` has the state as `now`. */
export function offerReads(page, held) {
  return [
    page.read({
      name: "who_has_access",
      title: "Who has what",
      description:
        "Tells the roles and grants of every member or of one, every role, and the keys by their last four characters.",
      inputSchema: schema({ member: MEMBER }, []),
      execute: (args) => accessNow(held.now, args),
    }),
    page.read({
      name: "key_uses",
      title: "What uses a key",
      description:
        "Tells which services use a key, whether they read it from the vault, and what needs these services.",
      inputSchema: schema({ key: KEY }),
      execute: (args) => usesNow(held.now, args),
    }),
    page.read({
      name: "audit_trail",
      title: "Read the audit trail",
      description: "Tells what was proposed, decided and done on this page since it was opened, the newest first.",
      inputSchema: schema({ limit: { type: "integer", minimum: 1, maximum: 100 } }, []),
      execute: ({ limit = 20 }) => ({ entries: trailOf(page.chain.entries()).slice(0, limit) }),
    }),
  ];
}

/** Offers what changes access. `held` takes a new state by `set`. */
export function offerWrites(page, held) {
  const write = (name, title, description, inputSchema, consequential = false) =>
    page.propose({
      name,
      title,
      description,
      inputSchema,
      consequential,
      preview: (args) => preview(held.now, name, args),
      commit: (args) => {
        held.set(CHANGES[name](held.now, args, name === "rotate_key" ? drawSecret() : undefined));
        const running = SERVICES.length - stopped(held.now).size;
        const ends = name === "rotate_key" && { secretEnds: held.now.keys[args.key].ends };
        return { done: true, running: `${running} of ${SERVICES.length} services`, ...ends };
      },
    });
  return [
    write("revoke_key", "Revoke a key", "Revokes an API key for good. What uses it stops.", schema({ key: KEY }), true),
    write(
      "rotate_key",
      "Rotate a key",
      "Gives a key a new secret. Services that read the vault go on; those that have it written into them stop when the overlap ends.",
      schema({
        key: KEY,
        overlap_hours: {
          type: "integer",
          minimum: 0,
          maximum: 72,
          description: "How long the old secret still works.",
        },
      }),
      true,
    ),
    write(
      "remove_role",
      "Remove a role",
      "Takes a role from a member, with everything the role allows.",
      schema({ member: MEMBER, role: ROLE }),
    ),
    write(
      "change_grant",
      "Change a grant",
      "Allows a role something, or takes it from the role and from every member who has it.",
      schema({ role: ROLE, grant: GRANT, allowed: { type: "boolean" } }),
    ),
  ];
}
