import { codeOf } from '../../errors/index.ts';
import { hasClusterErrorCode } from '../../objects/cluster-error.ts';
import type { KubeObject } from '../../objects/object.ts';
import { findSecrets } from '../../redaction/find-secrets.ts';
import { redactTexts } from '../../redaction/redact-texts.ts';
import type { FoundSecrets, Redactor } from '../../redaction/redactor.ts';
import type { Release } from '../../release/release.ts';
import { type MarkedValues, secretTexts } from '../../release/secret-values.ts';
import { forEach } from '../apply/concurrency.ts';
import type { OperationContext } from '../context.ts';

/** Replaces secrets in texts. */
export type Redact = (texts: readonly string[], signal: AbortSignal) => Promise<string[]>;

/** Replaces the secrets of releases in what the cluster says. */
export interface Redaction {
  /**
   * For texts of the API server and of controllers, which may quote the manifest: replaces the
   * secrets in it. Sends no request.
   */
  ofServer: Redact;
  /** For texts of pods: also replaces what is in the Secrets that they use, and can be read. */
  ofPods: Redact;
}

export type RedactionContext = Pick<OperationContext, 'cluster' | 'renderer' | 'redactor'>;

/** The part of a release in which its secrets are. */
export type Manifests = Pick<Release, 'manifest' | 'hooks' | 'namespace'> & MarkedValues;

/** Number of Secrets that are read. */
const maxReferences = 20;

/**
 * Returns the redaction of releases, and of objects in a namespace. Finds the secrets when they are
 * needed first.
 */
export function redactionOf(
  { cluster, renderer, redactor = directRedactor(renderer) }: RedactionContext,
  releases: readonly Manifests[],
  others: { objects: readonly KubeObject[]; namespace: string } = { objects: [], namespace: '' },
): Redaction {
  const ownSecrets = once(async (signal): Promise<FoundSecrets> => {
    const found = await forEach(releases, (release) => secretsOf(release, redactor, signal));
    if (others.objects.length > 0) found.push(await redactor.findSecrets({ manifest: '', ...others }, signal));
    return joined(found);
  });
  const allSecrets = once(async (signal): Promise<readonly string[]> => {
    const own = await ownSecrets(signal);
    const used = await forEach(own.references.slice(0, maxReferences), (ref) => readSecret(ref, cluster, signal));
    const objects = used.filter((secret) => secret !== undefined);
    if (objects.length === 0) return own.texts;
    const found = await redactor.findSecrets({ manifest: '', objects, namespace: '' }, signal);
    return joined([own, found]).texts;
  });
  return {
    ofServer: async (texts, signal) => redactor.redact(texts, (await ownSecrets(signal)).texts, signal),
    ofPods: async (texts, signal) => redactor.redact(texts, await allSecrets(signal), signal),
  };
}

/** Leaves out texts that cannot be read as objects: they are not applied, so nothing has them. */
async function secretsOf(
  { manifest, hooks = [], namespace, ...values }: Manifests,
  redactor: Redactor,
  signal: AbortSignal,
): Promise<FoundSecrets> {
  const parts = [manifest, ...hooks.map((hook) => hook.manifest)];
  const objects = asSecrets(values.secret_values === undefined ? [] : secretTexts(values));
  const find = (text: string) => redactor.findSecrets({ manifest: text, objects, namespace }, signal);
  try {
    return await find(parts.join('\n---\n'));
  } catch (error) {
    if (codeOf(error) !== 'invalid_manifest') throw error;
  }
  return joined(
    await forEach(parts, async (part) => {
      try {
        return await find(part);
      } catch (error) {
        if (codeOf(error) !== 'invalid_manifest') throw error;
        return { texts: [], references: [] };
      }
    }),
  );
}

/** Returns texts as objects whose values are secret. */
export function asSecrets(texts: readonly string[]): KubeObject[] {
  if (texts.length === 0) return [];
  return [
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: '' }, stringData: Object.fromEntries(texts.entries()) },
  ];
}

/** Returns a function that keeps its first result. A failure is not kept. */
function once<Result>(find: (signal: AbortSignal) => Promise<Result>): typeof find {
  let known: Promise<Result> | undefined;
  return async (signal) => {
    known ??= find(signal);
    try {
      return await known;
    } catch (error) {
      known = undefined;
      throw error;
    }
  };
}

function joined(found: readonly FoundSecrets[]): FoundSecrets {
  const references = found.flatMap((one) => one.references);
  const byName = new Map(references.map((ref) => [`${ref.namespace ?? ''}/${ref.name}`, ref]));
  return { texts: [...new Set(found.flatMap(({ texts }) => texts))], references: [...byName.values()] };
}

/** Returns undefined if there is no such Secret, or if the agent may not read it. */
async function readSecret(
  ref: FoundSecrets['references'][number],
  cluster: RedactionContext['cluster'],
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  try {
    return await cluster.get(ref, signal);
  } catch (error) {
    if (hasClusterErrorCode(error, 'forbidden')) return undefined;
    throw error;
  }
}

function directRedactor(renderer: RedactionContext['renderer']): Redactor {
  return {
    async findSecrets({ manifest, objects, namespace }, signal) {
      const read = await renderer.readObjects(manifest, 'unable to read the manifest', signal);
      return findSecrets([...read.map(({ object }) => object), ...objects], namespace);
    },
    redact: (texts, secrets) => Promise.resolve(redactTexts(texts, secrets)),
  };
}
