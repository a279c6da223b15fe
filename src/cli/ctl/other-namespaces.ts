import { commands } from '../../protocol/commands/index.ts';
import type { Failure } from '../../protocol/messages.ts';
import type { ApiClient } from './api-client.ts';
import { resultOf } from './follow.ts';

/** Time in milliseconds for the list of releases. The failure is shown without advice then. */
const timeLimit = 5000;

/** Number of namespaces that are named. */
const maxNamespaces = 3;

/** Number of releases that are asked for. More of one name are counted as "at least". */
const maxReleases = 100;

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
  const signal = AbortSignal.timeout(timeLimit);
  const namespacesOf = (range: Range) => namespacesWith(name, range, client, agent, signal);
  // its own namespace is asked for by itself, because the list of all may end before it
  const lists = [namespacesOf({ namespace, max: 1 }), namespacesOf({ max: maxReleases })];
  const [own = [], all = []] = await Promise.all(lists).catch(() => []); // the list is only a hint
  // a name that is not one of Kubernetes does not become a part of a command to copy
  const found = [...new Set(all)].filter((each) => /^[a-z0-9-]{1,63}$/.test(each)).sort();
  const [first, ...others] = found;
  if (first === undefined || own.length > 0 || found.includes(namespace)) return undefined; // a revision is not found
  const problem = `release ${name} is not in the namespace ${namespace}`;
  if (others.length === 0) return `${problem}; ${first} has one, use -n ${first}`;
  const rest = found.length - maxNamespaces;
  const named = found.slice(0, maxNamespaces).join(', ');
  const unnamed = `${all.length === maxReleases ? 'at least ' : ''}${rest} more`;
  return `${problem}; ${named}${rest > 0 ? ` and ${unnamed}` : ''} have one, use -n`;
}

interface Range {
  namespace?: string;
  max: number;
}

/** Returns the namespaces of the releases of a name in a range. */
async function namespacesWith(
  name: string,
  range: Range,
  client: ApiClient,
  agent: string,
  signal: AbortSignal,
): Promise<string[]> {
  const payload = { ...range, filter: `^${name.replaceAll('.', String.raw`\.`)}$` };
  const request = { type: 'list_releases', payload, deliverWithin: false as const };
  const { key } = await client.send(agent, request, signal);
  const answer = commands.list_releases.answer.parse(await resultOf(client, key, { signal }));
  return answer.releases.map((release) => release.namespace);
}
