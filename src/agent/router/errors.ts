import type { ErrorCode } from '../../protocol/error-codes.ts';

type CommandErrorCode = Extract<
  ErrorCode,
  | 'continued_too_often'
  | 'forbidden'
  | 'unknown_command'
  | 'too_large'
  | 'key_reused'
  | 'busy'
  | 'shutting_down'
  | 'cancelled'
  | 'pending_operation'
>;

/** A command that the router refuses or ends. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly code: CommandErrorCode;

  constructor(code: CommandErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
