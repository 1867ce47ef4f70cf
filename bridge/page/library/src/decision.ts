// What was seen of the event a decision came from.

/** A decision's event as the chain records it. */
export interface Seen {
  /** The event's type, such as `click`. */
  event: string;
  /**
   * Whether the browser made the event, and not a script. It does not say that a person did: input made below the browser is trusted,
   * and a script can hand over an event that was meant for something else.
   */
  isTrusted: boolean;
}

/**
 * Looks at the event of a decision.
 *
 * @throws TypeError for what is no event of the browser: a decision without one is not taken.
 */
export const seen = (event: Event): Seen => {
  try {
    // Asked past whatever stands on the object itself: only a real event answers this getter.
    const { get } = Object.getOwnPropertyDescriptor(new Event("x"), "isTrusted") ?? {};
    return { event: event.type, isTrusted: Reflect.apply(get as () => boolean, event, []) };
  } catch {
    throw new TypeError("A decision needs the event it comes from, such as the click on its button.");
  }
};
