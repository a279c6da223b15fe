import type { ErrorCode } from '../protocol/error-codes.ts';

/** A command that the agent refused or ended before an operation could say why. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly code: CommandErrorCode;

  constructor(code: CommandErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

export type CommandErrorCode = Extract<
  ErrorCode,
  'bad_packet' | 'unknown_command' | 'too_large' | 'key_reused' | 'busy' | 'shutting_down' | 'cancelled'
>;
