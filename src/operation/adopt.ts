import { isDeepStrictEqual } from 'node:util';
import type { TillerRecords } from '../release/helm2/tiller-records.ts';
import { history } from '../release/history.ts';
import type { Release } from '../release/release.ts';
import { operationOf } from './command-operation.ts';
import type { OperationContext } from './context.ts';
import { OperationError } from './error.ts';
import { releaseSummary } from './release-answer.ts';
import type { RequestOf } from './request.ts';
import { checkNamespace, checkReleaseName } from './steps/names.ts';
import { recordRevision } from './steps/revisions.ts';
import { withSteps } from './template.ts';

/** Default number of revisions to adopt, as of the plugin helm-2to3. */
const defaultHistoryLimit = 10;

export type AdoptRequest = Omit<RequestOf<'adopt_release'>, 'tillerNamespace'> & {
  /** The revisions of Helm 2. */
  tiller: TillerRecords;
};

/**
 * Stores the revisions of a release of Helm 2 as those of Helm 3 and 4, and returns them, the
 * oldest first. Changes no object of the release, and leaves the records of Helm 2. Can be
 * repeated: revisions that are stored already are left out.
 *
 * Throws `release_not_found`, and `release_exists` if the name is in use by another release.
 */
export async function adopt(context: OperationContext, request: AdoptRequest): Promise<Release[]> {
  const { releaseName: name, namespace, dryRun = false } = request;
  checkReleaseName(name, () => `release name is invalid: ${name}`);
  checkNamespace(namespace);
  return await withSteps(context, request, async (runner) => {
    const revisions = await runner.step('load', (tools) => readRecords(request, tools.signal));
    const missing = await runner.step('check', (tools) => withoutStored(context, request, revisions, tools.signal));
    if (dryRun) return missing;
    const chunked = request.storage === 'chunked';
    await runner.step('record', async (tools) => {
      for (const release of missing) await context.storage.requireFit(release, { chunked }, tools.signal);
      for (const release of missing) await recordRevision(context, release, {}, tools.signal, { chunked });
      tools.done(missing.length === 0 ? 'the revisions are stored already' : `${missing.length} revisions`);
    });
    return missing;
  });
}

/** Returns the newest revisions of Helm 2 in the namespace of the release, the oldest first. */
async function readRecords(request: AdoptRequest, signal: AbortSignal): Promise<Release[]> {
  const { tiller, releaseName: name, namespace, historyLimit = defaultHistoryLimit } = request;
  // fails if the newest revision cannot be read, without which the release would be another one
  const [newest] = await tiller.query({ name, latestOnly: true, summary: true }, signal);
  if (newest === undefined) throw new OperationError('release_not_found', `Helm 2 has no release ${name}`);
  const { release } = newest;
  if (release.namespace !== namespace) {
    const message = `release ${name} of Helm 2 is in namespace ${release.namespace}, not ${namespace}; give that namespace`;
    throw new OperationError('release_not_found', message);
  }
  const found = (await tiller.query({ name, namespace }, signal)).map((revision) => revision.release);
  found.sort((a, b) => a.version - b.version);
  return historyLimit > 0 ? found.slice(-historyLimit) : found;
}

/** Throws `release_exists` if a revision is stored that is not one of these. */
async function withoutStored(
  { storage }: OperationContext,
  { namespace, releaseName: name }: AdoptRequest,
  revisions: readonly Release[],
  signal: AbortSignal,
): Promise<Release[]> {
  const stored = await history(storage, namespace, name, signal);
  const isOwn = (release: Release) => revisions.some((revision) => isDeepStrictEqual(revision, release));
  if (!stored.every(({ release }) => isOwn(release))) {
    const message = `release ${name} already exists in namespace ${namespace}; the one of Helm 2 can only be adopted under a free name`;
    throw new OperationError('release_exists', message);
  }
  return revisions.filter(({ version }) => stored.every(({ release }) => release.version !== version));
}

export const operation = operationOf('adopt_release', {
  request({ tillerNamespace, ...request }, { tillerRecords }) {
    if (tillerNamespace !== undefined) checkNamespace(tillerNamespace);
    return { ...request, tiller: tillerRecords(tillerNamespace) };
  },
  run: adopt,
  answer: (releases) => ({ releases: releases.map(releaseSummary) }),
});
