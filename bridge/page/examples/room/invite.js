// The partner: a page of another origin in a frame, and what it claims.
import { $ } from "/shared/dom.js";

const { exposure, toolsPolicy } = globalThis.Countersign;

const POLICY = {
  allowed: "The frame may see the one tool that is exposed to its origin (allow=“tools”).",
  disallowed: "This browser does not let the frame see tools.",
  unknown: "This browser does not say whether the frame may see tools.",
};

/** The other name of this computer is another origin. `?partner=` names one elsewhere. */
function partnerOrigin() {
  const named = new URLSearchParams(location.search).get("partner");
  if (named) return usable(named) ? named : undefined;
  const port = location.port && `:${location.port}`;
  if (location.hostname === "127.0.0.1") return `http://localhost${port}`;
  if (location.hostname === "localhost") return `http://127.0.0.1${port}`;
  return undefined;
}

/** Whether tools can be exposed to it. */
function usable(origin) {
  try {
    return exposure(origin).length === 1 && origin !== location.origin;
  } catch {
    return false;
  }
}

/** Puts the partner's frame into the page and carries its claims. Answers its origin, where there is one. */
export function invitePartner(page, record) {
  const state = $("partner-state");
  const origin = partnerOrigin();
  if (!origin) {
    state.textContent =
      "No partner here: its page must come from another origin, such as localhost beside 127.0.0.1, or one that ?partner= names.";
    return undefined;
  }
  state.textContent = `Waiting for the partner's page on ${origin}…`;
  page.claims([origin], ({ claim, sha256 }) => {
    void record.append({ door: "partner", seat: origin, kind: "claim", data: { claim, origin, sha256 } });
  });
  const frame = document.createElement("iframe");
  frame.title = `The partner's page, on ${origin}`;
  frame.allow = "tools";
  frame.src = `${origin}/partner.html?room=${encodeURIComponent(location.origin)}`;

  const late = setTimeout(() => {
    state.textContent = `The partner's page on ${origin} did not answer, so no claim can come in. Is it served there?`;
    frame.hidden = true;
  }, 3_000);
  addEventListener("message", (event) => {
    if (event.source !== frame.contentWindow || event.origin !== origin || event.data?.type !== "room:partner") return;
    clearTimeout(late);
    frame.hidden = false;
    state.textContent = `The frame below runs on ${origin}. What it claims is its own word. ${POLICY[toolsPolicy(frame)]}`;
  });
  $("partner").append(frame);
  return origin;
}
