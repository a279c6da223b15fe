import { PolicyError } from '../../policy/policy-error.ts';
import type { ErrorCode } from '../../protocol/error-codes.ts';
import type { Failure } from '../../protocol/messages.ts';

/**
 * Codes whose messages consist of this program's own words. All others may quote a value of the
 * command, a chart or the cluster, so their messages go to the sender only.
 */
const codesToQuote: ReadonlySet<string> = new Set<ErrorCode>([
  'busy',
  'key_reused',
  'local_charts_disabled',
  'shutting_down',
  'signature_required',
  'signature_invalid',
  'signature_expired',
  'signature_replayed',
  'approval_required',
]);

/**
 * Returns the fields of the failure for an error, for the log. The message is left out unless it is
 * safe.
 */
export function failureFields({ code, position, message }: Failure, error: unknown): object {
  const reason = error instanceof PolicyError ? error.reason : codesToQuote.has(code) ? message : undefined;
  return { code, ...(position && { position }), ...(reason !== undefined && { reason }) };
}

/** Returns the name and the stack of a defect without its message, which may quote anything. */
export function stackWithoutMessage(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { name, message, stack = '' } = error;
  const start = stack.indexOf(message);
  const frames = start === -1 ? '' : stack.slice(start + message.length).trimStart();
  return `${name}\n${frames}`;
}
