export type JournalErrorCode = 'journal_unavailable' | 'journal_lost';

/** A command that cannot be stored, or that another process has taken over. */
export class JournalError extends Error {
  override readonly name = 'JournalError';
  readonly code: JournalErrorCode;

  constructor(code: JournalErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

export function isJournalLost(error: unknown): boolean {
  return error instanceof JournalError && error.code === 'journal_lost';
}
