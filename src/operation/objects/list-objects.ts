import type { ObjectPage, ObjectQuery } from '../../objects/cluster.ts';
import { parseFieldSelector } from '../../objects/field-selector.ts';
import { parseLabelSelector } from '../../objects/label-selector.ts';
import type { KubeObject } from '../../objects/object.ts';
import { serverMilliseconds } from '../clock.ts';
import { operationOf } from '../command-operation.ts';
import type { OperationContext } from '../context.ts';
import { redactedObject } from '../evidence/redacted-object.ts';
import { redactionOf } from '../evidence/release-redaction.ts';
import type { ResourceStatus } from '../progress.ts';
import type { RequestOf } from '../request.ts';
import { defaultTimeout } from '../state/deadline.ts';
import { checkNamespace } from '../steps/names.ts';
import { failFastOf, judgeReadiness } from '../wait/judge.ts';
import { servedKindOf } from './served-kind.ts';
import { shownObject } from './shown-object.ts';

const defaultMax = 100;

interface ListedObject extends Pick<ResourceStatus, 'status' | 'reason' | 'counts'> {
  object: KubeObject;
}

type ListedPage = Omit<ObjectPage, 'objects'> & { objects: ListedObject[] };

/**
 * Returns a page of the objects of a kind without the secrets in their texts. Throws
 * `unknown_kind`, `bad_request` for a selector or a page that does not exist, and `gone` if the
 * page is too old.
 */
export async function listObjects(context: OperationContext, request: RequestOf<'list_objects'>): Promise<ListedPage> {
  const { cluster, signal } = context;
  const { namespace = '', max = defaultMax, continue: after } = request;
  const query = await queryOf(context, request, signal);
  const page = await cluster.listPage({ ...query, limit: max, after }, signal);
  const { ofPods } = redactionOf(context, [], { objects: page.objects, namespace });
  const objects: ListedObject[] = [];
  for (const object of page.objects) {
    const shown = await redactedObject(shownObject(object), ofPods, signal);
    objects.push({ ...(await statusOf(context, object, ofPods)), object: shown });
  }
  return { ...page, objects };
}

/** Returns what a request selects. Throws `unknown_kind`, and `bad_request` for a selector. */
export async function queryOf(
  context: Parameters<typeof servedKindOf>[0],
  request: Pick<RequestOf<'list_objects'>, 'kind' | 'apiVersion' | 'namespace' | 'selector' | 'fieldSelector'>,
  signal: AbortSignal,
): Promise<ObjectQuery> {
  const { namespace, selector: labelSelector, fieldSelector } = request;
  if (namespace !== undefined) checkNamespace(namespace);
  if (labelSelector !== undefined) parseLabelSelector(labelSelector);
  if (fieldSelector !== undefined) parseFieldSelector(fieldSelector);
  const { apiVersion, kind, namespaced } = await servedKindOf(context, request, signal);
  return {
    ...{ apiVersion, kind },
    ...(namespaced && namespace !== undefined && { namespace }),
    ...(labelSelector !== undefined && { labelSelector }),
    ...(fieldSelector !== undefined && { fieldSelector }),
  };
}

/** Returns the status of an object by its own fields. */
export async function statusOf(
  context: OperationContext,
  object: KubeObject,
  redact: (texts: readonly string[], signal: AbortSignal) => Promise<string[]>,
): Promise<Pick<ResourceStatus, 'status' | 'reason' | 'counts'>> {
  const { apiVersion, kind, metadata } = object;
  const none = { replicaSets: [], pods: [], events: [] };
  const { status, reason, counts } = judgeReadiness({ apiVersion, kind, name: metadata.name }, object, () => none, {
    now: serverMilliseconds(context),
    toCompletion: ['Job'],
    failFast: failFastOf({}, defaultTimeout),
  }).status;
  const [text] = reason === undefined ? [] : await redact([reason], context.signal);
  return { status, ...(text !== undefined && { reason: text }), ...(counts && { counts }) };
}

export const operation = operationOf('list_objects', {
  request: (payload) => payload,
  run: listObjects,
  answer: ({ objects, next, remaining }) => ({
    objects: objects.map(({ object, ...status }) => ({ ...status, object: { ...object } })),
    ...(next !== undefined && { continue: next }),
    ...(remaining !== undefined && { remaining }),
  }),
});
