import { setImmediate } from 'node:timers/promises';
import type { RE2JS } from 're2js';
import { matchesLabels, parseLabelSelector, SelectorError } from '../objects/label-selector.ts';
import type { ReleaseError } from '../release/error.ts';
import type { Release } from '../release/release.ts';
import type { StoredRevision } from '../release/storage/storage.ts';
import { operationOf } from './command-operation.ts';
import { compareTexts } from './compare-texts.ts';
import type { OperationContext } from './context.ts';
import { OperationError } from './error.ts';
import { type ReadRevisions, releasesAnswer, UnreadableRevisions } from './release-answer.ts';
import type { ListRequest } from './request.ts';
import { checkNamespace } from './steps/names.ts';

/**
 * Returns the highest revision of each release that the request selects (pkg/action/list.go). As in
 * Helm, only superseded revisions are never the highest, so all of them are returned. Those that
 * cannot be read are left out, so that the one before is the highest.
 */
export async function list(context: OperationContext, request: ListRequest): Promise<ReadRevisions> {
  const { signal } = context;
  const { namespace, statuses, offset = 0, max = Infinity, storage = context.storage } = request;
  if (namespace !== undefined) checkNamespace(namespace);
  const selects = selection(request);
  const names = request.filter === undefined ? undefined : await compileFilter(request.filter);
  const latestOnly = statuses === undefined || statuses.some((status) => status !== 'superseded');
  const unreadable = new UnreadableRevisions();
  const onUnreadable = (error: ReleaseError) => {
    unreadable.add(error);
  };
  const revisions = await storage.query(
    { latestOnly, summary: true, ...(namespace !== undefined && { namespace }), onUnreadable },
    signal,
  );
  const selected = revisions.filter(selects).map(({ release }) => release);
  const named = names === undefined ? selected : await withName(selected, names, signal);
  const releases = named.sort(order(request)).slice(offset, offset + max);
  return { releases, unreadable: unreadable.messages() };
}

function selection({ selector, statuses }: ListRequest): (revision: StoredRevision) => boolean {
  const requirements = selector === undefined ? [] : parseSelector(selector);
  return ({ release, labels }) =>
    (statuses === undefined || statuses.includes(release.info.status)) && matchesLabels(requirements, labels);
}

/** A pattern is compiled to about as many instructions as its length, times its repetitions. */
const maxInstructions = 50_000;

/** Time in which names are matched without a pause, and at all, in milliseconds. */
const turn = 20;
const longestMatching = 5000;

/** Returns the releases whose name has a match. Throws `bad_payload` if that takes too long. */
async function withName(releases: readonly Release[], names: RE2JS, signal: AbortSignal): Promise<Release[]> {
  const found: Release[] = [];
  let [spent, start] = [0, performance.now()];
  for (const release of releases) {
    if (names.matcher(release.name).find()) found.push(release);
    const now = performance.now();
    if (now - start < turn) continue;
    spent += now - start;
    if (spent > longestMatching) throw tooComplex();
    await setImmediate();
    signal.throwIfAborted();
    start = performance.now();
  }
  return found;
}

function tooComplex(): OperationError {
  return new OperationError('bad_payload', 'filter: the pattern is too complex; repeat less in it');
}

/** Returns how often the counted parts of a pattern are repeated, together. */
function repetitionsOf(pattern: string): number {
  const counts = pattern.matchAll(/\{(\d{1,4})(?:,(\d{0,4}))?\}/g);
  return [...counts].reduce((sum, [, least = '', most = '']) => sum + Math.max(Number(least), Number(most)), 1);
}

async function compileFilter(filter: string): Promise<RE2JS> {
  if (repetitionsOf(filter) * filter.length > maxInstructions) throw tooComplex();
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
    throw new OperationError('bad_payload', cause.message, { cause });
  }
}

function order({ sort, reverse = false }: ListRequest): (a: Release, b: Release) => number {
  const sign = reverse ? -1 : 1;
  const byName = (a: Release, b: Release) => compareTexts(a.name, b.name);
  const byNamespace = (a: Release, b: Release) => compareTexts(a.namespace, b.namespace);
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

export const operation = operationOf('list_releases', {
  request({ helm2, tillerNamespace, ...request }, { tillerRecords }) {
    if (tillerNamespace !== undefined) checkNamespace(tillerNamespace);
    return { ...request, ...(helm2 === true && { storage: tillerRecords(tillerNamespace) }) };
  },
  run: list,
  answer: releasesAnswer,
});
