import type { KubeObject, ObjectRef, ServedKind } from '../../objects/object.ts';
import type { Release } from '../../release/release.ts';
import { ownerOf } from '../apply/ownership.ts';
import type { OperationContext } from '../context.ts';
import { OperationError } from '../error.ts';
import { checkNamespace } from '../steps/names.ts';
import { servedKindOf } from './served-kind.ts';

/** Number of names in an error. */
const maxNames = 10;

/** A live object, and where it is. */
export interface FoundObject {
  ref: ObjectRef;
  object: KubeObject;
}

export interface ObjectName {
  kind: string;
  apiVersion?: string;
  namespace: string;
  name: string;
}

/** Returns an object that a person names. Throws `unknown_kind` and `not_found`. */
export async function findObject(
  context: Pick<OperationContext, 'cluster' | 'policy' | 'signal'>,
  given: ObjectName,
): Promise<FoundObject> {
  const { cluster, signal } = context;
  checkNamespace(given.namespace);
  const served = await servedKindOf(context, given, signal);
  const ref = refOf(served, given);
  const object = await cluster.get(ref, signal);
  if (object === undefined) throw await notFound(context, served, ref);
  return { ref, object };
}

/**
 * Returns an object that a text names: `web-0`, a pod, or `deploy/web`. Throws `bad_request`,
 * `unknown_kind` and `not_found`.
 */
export async function findNamedObject(
  context: Pick<OperationContext, 'cluster' | 'policy' | 'signal'>,
  namespace: string,
  text: string,
): Promise<FoundObject> {
  const [kind = '', name = '', ...rest] = text.includes('/') ? text.split('/') : ['pod', text];
  if (kind === '' || name === '' || rest.length > 0) {
    const expected = 'a pod, or a kind and a name, such as deploy/web';
    throw new OperationError('bad_request', `${JSON.stringify(text)} must be ${expected}`);
  }
  return await findObject(context, { kind, namespace, name });
}

/** Returns the reference to an object of a kind. The namespace is left out if it has none. */
function refOf(
  { apiVersion, kind, namespaced }: ServedKind,
  { namespace, name }: { namespace: string; name: string },
): ObjectRef {
  return { apiVersion, kind, name, ...(namespaced && { namespace }) };
}

/** Returns an error that says which objects there are. */
async function notFound(
  { cluster, signal }: Pick<OperationContext, 'cluster' | 'signal'>,
  { apiVersion, kind }: ServedKind,
  { namespace, name }: ObjectRef,
): Promise<OperationError> {
  const where = namespace === undefined ? 'the cluster' : `namespace ${namespace}`;
  const query = { apiVersion, kind, metadataOnly: true, most: maxNames, ...(namespace !== undefined && { namespace }) };
  const present = await cluster.list(query, signal).catch(() => undefined);
  signal.throwIfAborted();
  const names = (present ?? []).map(({ metadata }) => metadata.name).slice(0, maxNames);
  const others =
    present === undefined ? '' : names.length === 0 ? '; there are no others' : `; there are: ${names.join(', ')}`;
  return new OperationError('not_found', `there is no ${kind} ${JSON.stringify(name)} in ${where}${others}`);
}

/** Returns the newest revision of the release that an object names, if it can be read. */
export async function releaseOfObject(
  object: KubeObject,
  { storage, signal }: Pick<OperationContext, 'storage' | 'signal'>,
): Promise<Release[]> {
  const owner = ownerOf(object);
  if (owner === undefined) return [];
  try {
    return (await storage.query({ ...owner, latestOnly: true }, signal)).map(({ release }) => release);
  } catch {
    signal.throwIfAborted();
    return [];
  }
}
