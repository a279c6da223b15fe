/** Directives of cobra for the shell; they can be added up. */
export const directives = { default: 0, noSpace: 2, noFiles: 4 } as const;

/** A word that can follow on a command line. */
export interface Candidate {
  readonly name: string;
  readonly description: string;
}

/** The words that a shell offers, and how it does so. */
export interface Completion {
  readonly candidates: readonly Candidate[];
  /** A sum of {@link directives}. */
  readonly directive: number;
}

/** Returns a completion after which the shell offers no paths. */
export function withoutFiles(candidates: readonly Candidate[]): Completion {
  return { candidates, directive: directives.noFiles };
}
