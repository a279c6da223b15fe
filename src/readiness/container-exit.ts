import { constants } from 'node:os';
import { integerAt, stringAt } from '../objects/fields.ts';

/** Exit codes above it are signals, by the convention of shells and container runtimes. */
const signalBase = 128;

/** Returns `exit code 137 (OOMKilled)`, followed by the container's termination message. */
export function exitText(terminated: unknown): string {
  const code = integerAt(terminated, 'exitCode') ?? 0;
  const signal = signalName(integerAt(terminated, 'signal') ?? code - signalBase);
  const reason = stringAt(terminated, 'reason');
  // `Error` says no more than the code does
  const details = [
    reason === 'Error' && signal !== undefined ? undefined : reason,
    reason === 'OOMKilled' ? undefined : signal,
  ];
  const detail = details.filter((part) => part !== undefined).join(', ');
  const message = (stringAt(terminated, 'message') ?? '').trim();
  return joined(`exit code ${code}${detail === '' ? '' : ` (${detail})`}`, message);
}

function signalName(number: number): string | undefined {
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
}

/** Returns `3 restarts`. */
export function restartsText(status: unknown): string {
  const count = integerAt(status, 'restartCount') ?? 0;
  return count === 1 ? '1 restart' : `${count} restarts`;
}

/** Returns `REASON: MESSAGE`, or the reason without a message. */
export function joined(reason: string, message: string): string {
  return message === '' ? reason : `${reason}: ${message}`;
}
