/** A user for whom something is changed. */
export interface ActingUser {
  readonly name: string;
  /**
   * Throws unless the user may make the change. Is called at once before it is made: while it waits
   * for the store, the user may lose the right, and another change may take what it is about.
   */
  readonly requireAllowed: () => void;
}
