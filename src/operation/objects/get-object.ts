import type { KubeObject } from '../../objects/object.ts';
import { operationOf } from '../command-operation.ts';
import type { OperationContext } from '../context.ts';
import { redactedObject } from '../evidence/redacted-object.ts';
import { redactionOf } from '../evidence/release-redaction.ts';
import type { RequestOf } from '../request.ts';
import { findObject, releaseOfObject } from './find-object.ts';
import { shownObject } from './shown-object.ts';

/**
 * Returns an object without the secrets in its texts. Throws `unknown_kind` and `not_found`.
 */
export async function getObject(context: OperationContext, request: RequestOf<'get_object'>): Promise<KubeObject> {
  const { object } = await findObject(context, request);
  const { namespace } = request;
  const { ofPods } = redactionOf(context, await releaseOfObject(object, context), { objects: [object], namespace });
  return await redactedObject(shownObject(object), ofPods, context.signal);
}

export const operation = operationOf('get_object', {
  request: (payload) => payload,
  run: getObject,
  answer: (object) => ({ object: { ...object } }),
});
