/** What the app wraps around both bundles: names that are new in every run. */
export interface RunConstants {
  /** The type of the one event that hands the port over. */
  event: string;
  /** The binding, which exists in the isolated world only. */
  binding: string;
  /** The function the app calls in the isolated world, and the type of the events in which it shows forms to the main world. */
  entry: string;
  /** What the app's own reads carry in place of a ticket. */
  read: string;
}
