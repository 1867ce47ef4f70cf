// Offering tools to another origin, and whether the browser lets a document offer any.
import { originOf } from "./claims";

/** What the permissions policy `tools` says: `unknown` where the browser does not tell. */
export type Policy = "allowed" | "disallowed" | "unknown";

interface FeaturePolicy {
  features(): string[];
  allowsFeature(feature: string): boolean;
}

/**
 * Whether a document may offer and see tools: this one, or that of a frame in it. A frame of another origin needs
 * `<iframe allow="tools">`, and no document may when the page is sent with `Permissions-Policy: tools=()`.
 */
export const toolsPolicy = (of: Document | HTMLIFrameElement = document): Policy => {
  const { featurePolicy: policy } = of as { featurePolicy?: FeaturePolicy };
  if (!policy?.features().includes("tools")) return "unknown";
  return policy.allowsFeature("tools") ? "allowed" : "disallowed";
};

/**
 * Checks origins for a tool's `exposedTo`. The other page sees the tool when it also lists it with
 * `getTools({ fromOrigins: [this origin] })` and both documents have the policy `tools`. It hides nothing from this page.
 *
 * @throws TypeError for what is no bare origin, or is not secure.
 */
export const exposure = (...origins: string[]): readonly string[] =>
  Object.freeze(
    origins.map((text) => {
      const origin = originOf(text);
      const { protocol, hostname } = new URL(origin);
      const local = hostname === "localhost" || hostname.endsWith(".localhost") || /^(127\.|\[::1\])/.test(hostname);
      if (protocol !== "https:" && !local)
        throw new TypeError(`${origin} is not secure, so no tool can be exposed to it.`);
      return origin;
    }),
  );
