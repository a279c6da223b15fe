import { codeOf } from '../../errors/index.ts';
import { fieldAt, objectAt } from '../../objects/fields.ts';
import type { KubeObject, ObjectRef } from '../../objects/object.ts';
import type { SecretValues, ValuesSource } from '../../render/release-renderer.ts';
import { forEach } from '../apply/concurrency.ts';
import type { OperationContext } from '../context.ts';
import { OperationError, withPrefix } from '../error.ts';
import type { ValuesRequest } from '../request.ts';

/** Values that a command only names, or that are sealed, as they were read. */
export interface ReadSources {
  sources: readonly ValuesSource[];
  secret: SecretValues;
}

type Reference = NonNullable<ValuesRequest['valuesFrom']>[number];

interface SourcesRequest extends ValuesRequest {
  readonly namespace: string;
  readonly releaseName: string;
}

/** Characters of all values together. */
const maxCharacters = 4 * 1024 * 1024;

const none: ReadSources = { sources: [], secret: { paths: [], texts: [] } };

/**
 * Reads the values that a command only names, as the account of the operation, and opens those that
 * are sealed. Throws `values_not_found`, `values_invalid`, `sealed_invalid`, `too_large` or an
 * error of the cluster, with the place in the command.
 */
export async function readSources(
  { cluster, renderer, sealing }: Pick<OperationContext, 'cluster' | 'renderer' | 'sealing'>,
  { valuesFrom = [], sealedValues = [], namespace, releaseName }: SourcesRequest,
  signal: AbortSignal,
): Promise<ReadSources> {
  if (valuesFrom.length + sealedValues.length === 0) return none;
  const objects = new Map<string, Promise<KubeObject | undefined>>();
  const objectOf = ({ kind, name }: Reference) => {
    const ref: ObjectRef = { apiVersion: 'v1', kind, namespace, name };
    const known = objects.get(`${kind}/${name}`) ?? cluster.get(ref, signal);
    objects.set(`${kind}/${name}`, known);
    return known;
  };
  const found = await forEach([...valuesFrom.entries()], async ([index, reference]) => {
    const place = `valuesFrom[${index}]`;
    try {
      return sourceOf(place, reference, await objectOf(reference), namespace);
    } catch (error) {
      throw withPlace(error, place);
    }
  });
  const opened = await forEach([...sealedValues.entries()], async ([index, sealed]): Promise<ValuesSource> => {
    const place = `sealedValues[${index}]`;
    try {
      if (sealing === undefined) throw new OperationError('bad_payload', 'there is no agent that could open them');
      const text = await sealing.open(sealed, { namespace, releaseName, purpose: 'values' });
      return { name: place, text, isSecret: true };
    } catch (error) {
      throw withPlace(error, place);
    }
  });
  const sources = [...found.filter((source) => source !== undefined), ...opened];
  requireSize(sources);
  const hasSecrets = sources.some(({ isSecret }) => isSecret);
  return { sources, secret: hasSecrets ? await renderer.secretValues(sources, signal) : none.secret };
}

/** Returns undefined if the object does not exist and need not. */
function sourceOf(
  place: string,
  { kind, name, key = 'values.yaml', targetPath, optional = false }: Reference,
  object: KubeObject | undefined,
  namespace: string,
): ValuesSource | undefined {
  if (object === undefined) {
    if (optional) return undefined;
    const advice = 'create it, or set optional if the release can do without it';
    throw new OperationError('values_not_found', `${kind} ${namespace}/${name} does not exist; ${advice}`);
  }
  const data = objectAt(object, 'data');
  const value = fieldAt(data, key);
  if (typeof value !== 'string') {
    const keys = Object.keys(data).sort().slice(0, 20).join(', ') || 'none';
    throw new OperationError('values_not_found', `${kind} ${namespace}/${name} has no key ${key}, only: ${keys}`);
  }
  const text = kind === 'Secret' ? Buffer.from(value, 'base64').toString() : value;
  if (text.includes('\ufffd')) {
    throw new OperationError('values_invalid', `key ${key} of ${kind} ${namespace}/${name} is not text in UTF-8`);
  }
  return { name: `${place}: ${kind} ${name}, key ${key}`, text, path: targetPath, isSecret: kind === 'Secret' };
}

function withPlace(error: unknown, place: string): unknown {
  if (codeOf(error) === undefined) return error;
  return Object.assign(withPrefix(place, error), { position: { file: place } });
}

function requireSize(sources: readonly ValuesSource[]): void {
  const characters = sources.reduce((sum, { text }) => sum + text.length, 0);
  if (characters <= maxCharacters) return;
  throw new OperationError(
    'too_large',
    `valuesFrom and sealedValues: the values have more than ${maxCharacters} characters together`,
  );
}
