import type { RE2JS } from 're2js';
import { matchesLabels, parseLabelSelector, SelectorError } from '../objects/label-selector.ts';
import type { Release } from '../release/release.ts';
import type { StoredRevision } from '../release/storage/storage.ts';
import type { OperationContext } from './context.ts';
import { OperationError } from './error.ts';
import { checkNamespace } from './steps/names.ts';
import type { ListRequest } from './request.ts';

/**
 * Returns the highest revision of each release that the request selects (pkg/action/list.go). As in
 * Helm, only superseded revisions are never the highest, so all of them are returned.
 */
export async function list(context: OperationContext, request: ListRequest): Promise<Release[]> {
  const { signal } = context;
  const { namespace, statuses, offset = 0, max = Infinity, storage = context.storage } = request;
  if (namespace !== undefined) checkNamespace(namespace);
  const selects = await selection(request);
  const latestOnly = statuses === undefined || statuses.some((status) => status !== 'superseded');
  const revisions = await storage.query(
    { latestOnly, summary: true, ...(namespace !== undefined && { namespace }) },
    signal,
  );
  return revisions
    .filter(selects)
    .map(({ release }) => release)
    .sort(order(request))
    .slice(offset, offset + max);
}

async function selection({ filter, selector, statuses }: ListRequest): Promise<(revision: StoredRevision) => boolean> {
  const names = filter === undefined ? undefined : await compileFilter(filter);
  const requirements = selector === undefined ? [] : parseSelector(selector);
  return ({ release, labels }) =>
    (names === undefined || names.matcher(release.name).find()) &&
    (statuses === undefined || statuses.includes(release.info.status)) &&
    matchesLabels(requirements, labels);
}

async function compileFilter(filter: string): Promise<RE2JS> {
  const { RE2JS, RE2JSSyntaxException } = await import('re2js'); // loading it takes longer than most lists
  try {
    return RE2JS.compile(filter);
  } catch (cause) {
    if (!(cause instanceof RE2JSSyntaxException)) throw cause;
    throw new OperationError('bad_payload', cause.message, { cause });
  }
}

function parseSelector(selector: string) {
  try {
    return parseLabelSelector(selector);
  } catch (cause) {
    if (!(cause instanceof SelectorError)) throw cause;
    throw new OperationError('bad_payload', `selector: ${cause.message}`, { cause });
  }
}

function order({ sort, reverse = false }: ListRequest): (a: Release, b: Release) => number {
  const sign = reverse ? -1 : 1;
  const byName = (a: Release, b: Release) => compare(a.name, b.name);
  const byNamespace = (a: Release, b: Release) => compare(a.namespace, b.namespace);
  switch (sort) {
    case 'name':
      return (a, b) => sign * byName(a, b) || byNamespace(a, b);
    case 'date':
      return (a, b) => sign * (deployedSeconds(a) - deployedSeconds(b) || byName(a, b)) || byNamespace(a, b);
    default:
      return (a, b) => sign * (byNamespace(a, b) || byName(a, b));
  }
}

/** As in Helm, releases of the same second are sorted by name. */
function deployedSeconds({ info }: Release): number {
  const time = Date.parse(info.last_deployed ?? '');
  return Number.isNaN(time) ? 0 : Math.floor(time / 1000);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
