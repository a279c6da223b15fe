import { commands } from '../../protocol/commands/index.ts';
import type { Failure } from '../../protocol/messages.ts';
import type { ApiClient } from './api-client.ts';
import { resultOf } from './follow.ts';

/** Time in milliseconds for the list of releases. The failure is shown without advice then. */
const timeLimit = 5000;

/** Number of namespaces that are named. */
const maxNamespaces = 3;

/**
 * Returns a line about a release that is not found: where it was looked for, and the namespaces
 * that have a release of this name. Undefined if the agent lists none, or the namespace has one:
 * then a revision is not found.
 */
export async function namespaceAdvice(
  failure: Failure,
  client: ApiClient,
  agent: string,
  payload: object,
): Promise<string | undefined> {
  if (failure.code !== 'release_not_found' || !('releaseName' in payload)) return undefined;
  const name = String(payload.releaseName);
  const { namespace = 'default' } = payload as { namespace?: string }; // of all commands with a release
  const found: string[] = await namespacesWith(name, client, agent).catch(() => []); // the list is only a hint
  const [first, ...others] = found;
  if (first === undefined || found.includes(namespace)) return undefined; // a revision is not found
  const problem = `release ${name} is not in the namespace ${namespace}`;
  if (others.length === 0) return `${problem}; ${first} has one, use -n ${first}`;
  const rest = found.length - maxNamespaces;
  const named = found.slice(0, maxNamespaces).join(', ');
  return `${problem}; ${named}${rest > 0 ? ` and ${rest} more` : ''} have one, use -n`;
}

/** Returns the namespaces that have a release of a name, as far as the agent lists them. */
async function namespacesWith(name: string, client: ApiClient, agent: string): Promise<string[]> {
  const signal = AbortSignal.timeout(timeLimit);
  const payload = { filter: `^${name.replaceAll('.', String.raw`\.`)}$`, max: 100 };
  const request = { type: 'list_releases', payload, deliverWithin: false as const };
  const { key } = await client.send(agent, request, signal);
  const result = await resultOf(client, key, { signal });
  const answer = commands.list_releases.answer.safeParse(result);
  const found = answer.success ? answer.data.releases : [];
  // a name that is not one of Kubernetes does not become a part of a command to copy
  return [...new Set(found.map(({ namespace }) => namespace))].filter((each) => /^[a-z0-9-]{1,63}$/.test(each)).sort();
}
