import type { ReleaseError } from '../release/error.ts';
import type { Release } from '../release/release.ts';

/** Revisions, and messages about those that are left out because they cannot be read. */
export interface ReadRevisions {
  releases: Release[];
  unreadable: string[];
}

/** Most messages that an answer has. */
const maxMessages = 20;

/** The errors of revisions that a list leaves out, as Helm does, because it cannot read them. */
export class UnreadableRevisions {
  readonly #messages: string[] = [];
  #count = 0;

  add({ message }: ReleaseError): void {
    this.#count += 1;
    if (this.#count <= maxMessages) this.#messages.push(message);
  }

  /** Returns the first messages, and how many more there are. */
  messages(): string[] {
    const more = this.#count - maxMessages;
    return more > 0 ? [...this.#messages, `and ${more} more`] : [...this.#messages];
  }
}
