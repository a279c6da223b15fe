import { history } from '../release/history.ts';
import { operationOf } from './command-operation.ts';
import type { OperationContext } from './context.ts';
import { OperationError } from './error.ts';
import { type ReadRevisions, releasesAnswer, UnreadableRevisions } from './release-answer.ts';
import type { RequestOf } from './request.ts';
import { checkNamespace, checkReleaseName } from './steps/names.ts';

/** Default number of revisions of `helm history`. */
const defaultMax = 256;

/** Returns the newest revisions of a release, the oldest first. Throws `release_not_found`. */
export async function releaseHistory(
  context: OperationContext,
  request: RequestOf<'release_history'>,
): Promise<ReadRevisions> {
  const { namespace, releaseName, max = defaultMax } = request;
  checkReleaseName(releaseName, () => `release name is invalid: ${releaseName}`);
  checkNamespace(namespace);
  const unreadable = new UnreadableRevisions();
  const revisions = await history(context.storage, namespace, releaseName, context.signal, (error) => {
    unreadable.add(error);
  });
  const messages = unreadable.messages();
  if (revisions.length + messages.length === 0) throw new OperationError('release_not_found', 'release: not found');
  return { releases: revisions.slice(-max).map(({ release }) => release), unreadable: messages };
}

export const operation = operationOf('release_history', {
  request: (payload) => payload,
  run: releaseHistory,
  answer: releasesAnswer,
});
