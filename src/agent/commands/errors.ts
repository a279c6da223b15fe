import type { ErrorCode } from '../../protocol/error-codes.ts';

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

/** A server that others can reach must ask for a token. */
export class InsecureListenError extends Error {
  override readonly name = 'InsecureListenError';
  readonly code = 'insecure_listen';

  constructor(host: string) {
    super(`refusing to listen on ${host} without a token: give a token file, or allow it with --listen-insecure`);
  }
}

/** Values that are no YAML mapping. */
export class ValuesTextError extends Error {
  override readonly name = 'ValuesTextError';
  readonly code = 'values_invalid';
  readonly position: { file: string; line?: number };

  constructor(message: string, line: number | undefined) {
    super(message);
    this.position = { file: 'values', ...(line !== undefined && { line }) };
  }
}
