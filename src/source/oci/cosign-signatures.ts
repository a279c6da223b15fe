import { isJsonObject, stringAt } from '../../objects/fields.ts';
import { digitsOf } from '../digest.ts';
import { ifPresent } from '../verification/chart-verification.ts';
import {
  cosignAnnotations,
  cosignMediaTypes,
  maxSignatureBytes,
  maxSignatures,
  type StoredSignature,
} from '../verification/cosign.ts';
import { chartMediaTypes, parseObject } from './manifest.ts';

/** Reads a repository of a registry. What is not there is rejected with `SourceError`. */
export interface RegistryReader {
  /** Returns the manifest, or the list, at a path below the repository. */
  get(path: string, what: string, accept: string): Promise<Buffer>;
  /** Returns what has a digest, whose content is compared with it. */
  read(kind: 'manifests' | 'blobs', digest: string, what: string, maxBytes: number): Promise<Buffer>;
}

/**
 * Returns what cosign has stored for a manifest: under the tag `sha256-HEX.sig`, and as bundles
 * that refer to the manifest. Throws `SourceError`, or the signal's reason.
 *
 * @param digest of the manifest, as `sha256:HEX`
 */
export async function cosignSignatures(digest: string, registry: RegistryReader): Promise<StoredSignature[]> {
  const tag = digest.replace(':', '-');
  const simple = await ifPresent(() =>
    registry.get(`manifests/${tag}.sig`, 'the signatures of the chart', chartMediaTypes.manifest),
  );
  const found: StoredSignature[] = [];
  for (const layer of entriesOf(simple, 'layers', ({ mediaType }) => mediaType === cosignMediaTypes.simple)) {
    const content = await readDigest(registry, 'blobs', layer.digest);
    if (content !== undefined) found.push({ kind: 'simple', content, annotations: annotationsOf(layer) });
  }
  const list = (path: string) =>
    ifPresent(() => registry.get(path, 'the list of signatures of the chart', chartMediaTypes.index));
  // registries without the API of referrers have a tag instead
  const referrers = (await list(`referrers/${digest}`)) ?? (await list(`manifests/${tag}`));
  for (const entry of entriesOf(referrers, 'manifests', isBundle)) {
    const manifest = await readDigest(registry, 'manifests', entry.digest);
    const [layer] = entriesOf(manifest, 'layers', isBundle);
    const bundle = layer && (await readDigest(registry, 'blobs', layer.digest));
    if (bundle !== undefined) found.push({ kind: 'bundle', content: bundle });
  }
  return found;
}

function annotationsOf({ annotations }: Record<string, unknown>): Record<string, string> {
  const found = Object.values(cosignAnnotations).flatMap((name) => {
    const text = stringAt(annotations, name);
    return text === undefined || text.length > maxSignatureBytes ? [] : [[name, text] as const];
  });
  return Object.fromEntries(found);
}

function isBundle({ mediaType, artifactType }: Record<string, unknown>): boolean {
  return [mediaType, artifactType].some((type) => typeof type === 'string' && type.startsWith(cosignMediaTypes.bundle));
}

/** Returns the first entries of a list in a document that are of a type. */
function entriesOf(
  document: Buffer | undefined,
  list: 'layers' | 'manifests',
  isWanted: (entry: Record<string, unknown>) => boolean,
): Record<string, unknown>[] {
  if (document === undefined) return [];
  const entries = parseObject(document, 'a manifest')[list];
  if (!Array.isArray(entries)) return [];
  return (entries as unknown[])
    .filter((entry) => isJsonObject(entry) && isWanted(entry))
    .slice(0, maxSignatures) as Record<string, unknown>[]; // objects alone are left
}

async function readDigest(
  registry: RegistryReader,
  kind: 'manifests' | 'blobs',
  digest: unknown,
): Promise<Buffer | undefined> {
  // another text could lead to another path
  if (typeof digest !== 'string' || !digest.startsWith('sha256:') || digitsOf(digest) === undefined) return undefined;
  return await ifPresent(() => registry.read(kind, digest, 'a signature of the chart', maxSignatureBytes));
}
