import { messageOf } from '../../errors/index.ts';
import { fieldSelectorText } from '../../objects/field-selector.ts';
import { fieldAt, stringAt } from '../../objects/fields.ts';
import { groupOf } from '../../objects/group-kind.ts';
import type { KubeObject } from '../../objects/object.ts';
import { operationOf } from '../command-operation.ts';
import type { OperationContext } from '../context.ts';
import { OperationError } from '../error.ts';
import { redactionOf } from '../evidence/release-redaction.ts';
import { get } from '../get.ts';
import { presentObjects } from '../present-objects.ts';
import type { AnswerOf, RequestOf } from '../request.ts';
import { checkNamespace } from '../steps/names.ts';
import { answeredEvents, newestEvents } from './newest-events.ts';
import { ownedUids } from './owned-objects.ts';
import { servedKindOf } from './served-kind.ts';

const defaultMax = 200;

type Request = RequestOf<'list_events'>;

/** Returns the newest events. Throws `unknown_kind`, `release_not_found` and `bad_payload`. */
export async function listEvents(context: OperationContext, request: Request): Promise<AnswerOf<'list_events'>> {
  const { cluster, signal } = context;
  const { namespace, releaseName, warnings = false, max = defaultMax, name } = request;
  checkNamespace(namespace);
  if (releaseName !== undefined && (request.kind !== undefined || name !== undefined)) {
    throw new OperationError('bad_payload', 'releaseName: give either a release, or a kind and a name');
  }
  if (request.apiVersion !== undefined && request.kind === undefined) {
    throw new OperationError('bad_payload', 'apiVersion: name a kind, too');
  }
  const missing: string[] = [];
  const kind = request.kind === undefined ? undefined : await kindSelector(context, request, request.kind);
  const release = releaseName === undefined ? undefined : (await get(context, { namespace, releaseName })).release;
  const isOfRelease = release && (await objectsOf(context, release, missing));
  const selectors = [
    ...(name === undefined ? [] : [fieldSelectorText('involvedObject.name', name)]),
    ...(kind === undefined ? [] : [fieldSelectorText('involvedObject.kind', kind.kind)]),
    ...(warnings ? ['type=Warning'] : []),
  ];
  const { events, omitted, isIncomplete } = await newestEvents(
    cluster,
    {
      ...{ namespace, most: max },
      ...(selectors.length > 0 && { fieldSelector: selectors.join(',') }),
      isWanted: (event) => (isOfRelease?.(event) ?? true) && (kind?.isOfGroup(event) ?? true),
    },
    signal,
  );
  if (isIncomplete) missing.push('there are too many events in the namespace to read all of them');
  const { ofServer } = redactionOf(context, release === undefined ? [] : [release]);
  return {
    events: await answeredEvents(events, ofServer, signal),
    ...(omitted > 0 && { omitted }),
    ...(missing.length > 0 && { missing }),
  };
}

async function kindSelector(context: OperationContext, { apiVersion }: Request, given: string) {
  const served = await servedKindOf(
    context,
    { kind: given, ...(apiVersion !== undefined && { apiVersion }) },
    context.signal,
  );
  return {
    kind: served.kind,
    isOfGroup: (event: KubeObject) =>
      groupOf(stringAt(event, 'involvedObject', 'apiVersion') ?? '') === groupOf(served.apiVersion),
  };
}

/** Returns whether an event is about an object of a release, or about what belongs to one. */
async function objectsOf(
  context: OperationContext,
  release: Parameters<typeof presentObjects>[1],
  missing: string[],
): Promise<(event: KubeObject) => boolean> {
  const present = await presentObjects(context, release);
  const names = new Set<string>();
  const uids = new Set<string>();
  for (const found of present) {
    const { kind, name } = 'unknown' in found ? found.unknown : found.ref;
    names.add(JSON.stringify([kind, name]));
    if ('unknown' in found) missing.push(found.unknown.reason ?? `${kind} ${name} cannot be read`);
    else if (found.object?.metadata.uid !== undefined) uids.add(found.object.metadata.uid);
  }
  const all = await ownedUids(context, release.namespace, uids, missing).catch((error: unknown) => {
    context.signal.throwIfAborted();
    missing.push(messageOf(error));
    return uids;
  });
  return (event) => {
    const { kind, name, uid } = Object.fromEntries(
      (['kind', 'name', 'uid'] as const).map((field) => [field, fieldAt(event, 'involvedObject', field)]),
    );
    return (typeof uid === 'string' && all.has(uid)) || names.has(JSON.stringify([kind, name]));
  };
}

export const operation = operationOf('list_events', {
  request: (payload) => payload,
  run: listEvents,
  answer: (answer) => answer,
});
