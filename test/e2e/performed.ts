import type { CommandEvent, CommandResult, Failure, SentCommand } from '../../src/control-plane/index.ts';

/** A command that has ended, and its events. */
export interface Performed {
  result: CommandResult;
  events: CommandEvent[];
  /** The release's status after success, or the error's code after failure. */
  outcome: string;
}

type StatusPayload = Extract<CommandEvent, { type: 'status' }>['payload'];

/** Waits for the end of a command. `onStatus` is called for each status as it arrives. */
export async function performed(
  command: SentCommand,
  onStatus: (payload: StatusPayload) => void = () => undefined,
): Promise<Performed> {
  const events: CommandEvent[] = [];
  for await (const event of command) {
    events.push(event);
    if (event.type === 'status') onStatus(event.payload);
  }
  const result = await command.result;
  return { result, events, outcome: outcomeOf(result) };
}

function outcomeOf(result: CommandResult): string {
  if (!result.ok) return result.error.code;
  return 'release' in result && result.release ? result.release.info.status : 'ok';
}

/** Returns the steps in the order in which they started. */
export function stepsOf({ events }: Performed): string[] {
  const steps = statusesOf(events).map(({ step }) => step);
  return steps.filter((step, i) => steps.indexOf(step) === i);
}

/** Returns the final state of each step. */
export function endsOf({ events }: Performed): Record<string, string> {
  const ends = statusesOf(events).filter(({ state }) => state !== 'running');
  return Object.fromEntries(ends.map(({ step, state }) => [step, state]));
}

/** Returns the states that the wait reported for a resource, as `STATUS: REASON`. */
export function statesOf({ events }: Performed, kind: string, name: string): string[] {
  return statusesOf(events)
    .flatMap(({ resources = [] }) => resources)
    .filter((resource) => resource.kind === kind && resource.name === name)
    .map(({ status, reason = '' }) => `${status}: ${reason}`);
}

function statusesOf(events: CommandEvent[]) {
  return events.flatMap((event) => (event.type === 'status' ? [event.payload] : []));
}

/** Returns the error of a failed command. */
export function errorOf({ result }: Performed): Failure {
  return result.ok ? { code: 'ok', message: JSON.stringify(result) } : result.error;
}
