import { LRUCache } from 'lru-cache';
import type {
  CrdManifest,
  ManifestObject,
  ReleaseInput,
  ReleaseRenderer,
  ReleaseSettings,
  RenderedRelease,
} from '../render/release-renderer.ts';
import { renderInPasses } from '../render/render-passes.ts';
import { resolveCapabilities } from '../render/scope/capabilities.ts';
import { defaultHelmVersion } from '../render/scope/helm-version.ts';
import type { ReleaseTask, UnsplitRelease } from './tasks.ts';
import type { WorkerPool } from './worker-pool.ts';

/** Characters of manifests whose objects are kept. */
const keptManifestCharacters = 512 * 1024;

/** Returns a renderer that does its work in threads. */
export function threadedRenderer(workers: WorkerPool, allowNunjucks: boolean): ReleaseRenderer {
  return {
    crds: (chart, values, signal) => readCrds(workers, { chart, values }, signal),
    render: (request, signal) => renderRelease(workers, allowNunjucks, request, signal),
    readObjects: manifestReading(workers),
    rewriteImages: (manifests, rules, signal) =>
      workers.run(
        'rewriteImages',
        { manifests, rules },
        { signal, subject: 'rewriting images', limitCode: 'too_large' },
      ),
    secretValues: (sources, signal) =>
      workers.run('secretValues', { sources }, { signal, subject: 'reading values', limitCode: 'too_large' }),
  };
}

async function readCrds(
  workers: WorkerPool,
  { chart, values }: Pick<ReleaseInput, 'chart' | 'values'>,
  signal: AbortSignal,
): Promise<CrdManifest[]> {
  const subject = `reading the CRDs of chart ${chart.name}`;
  let objects: ManifestObject[] = [];
  const files = await workers.runSized((mayBeLarge) => {
    objects = [];
    const options = { signal, owner: chart.digest, subject, onPart: collect(objects) };
    return workers.run('crds', { chart, values, mayBeLarge }, options);
  }, signal);
  return files.map(({ name, objectCount }) => ({ name, objects: objects.splice(0, objectCount) }));
}

function renderRelease(
  workers: WorkerPool,
  allowNunjucks: boolean,
  request: ReleaseInput & ReleaseSettings,
  signal: AbortSignal,
): Promise<RenderedRelease> {
  const { chart, values, release, hideSecrets = false, includeCrds = false } = request;
  const owner = `${release.namespace}/${release.name}`;
  const task: ReleaseTask = {
    ...{ chart, values, release, hideSecrets, includeCrds },
    capabilities: resolveCapabilities(request.capabilities, defaultHelmVersion),
    options: { allowNunjucks, ...request.options },
    forPostRender: request.postRender !== undefined,
  };
  const rendering = { signal, owner, subject: `rendering chart ${chart.name}` };
  const splitting = { signal, owner, subject: `splitting the manifests of chart ${chart.name}` };
  return renderInPasses<RenderedRelease, UnsplitRelease>(
    chart.name,
    request,
    (lookups) =>
      workers.runSized((mayBeLarge) => workers.run('render', { ...task, ...lookups, mayBeLarge }, rendering), signal),
    async ({ files, ...parts }) => ({
      ...parts,
      ...(await workers.run('splitFiles', { files, hideSecrets }, splitting)),
    }),
  );
}

/** Returns the function that reads the objects of a manifest, as the steps of an operation do. */
function manifestReading(workers: WorkerPool): ReleaseRenderer['readObjects'] {
  const known = new LRUCache<string, ManifestObject[]>({ maxSize: keptManifestCharacters });
  return async (manifest, prefix, signal) => {
    const kept = known.get(manifest);
    if (kept !== undefined) return kept;
    let objects: ManifestObject[] = [];
    await workers.runSized((mayBeLarge) => {
      objects = [];
      const subject = 'reading a manifest';
      const options = { signal, subject, onPart: collect(objects), limitCode: 'too_large' } as const;
      return workers.run('readObjects', { manifest, prefix, mayBeLarge }, options);
    }, signal);
    known.set(manifest, objects, { size: 1 + manifest.length });
    return objects;
  };
}

/** Returns a receiver of parts that appends their elements. */
function collect(objects: ManifestObject[]): (part: unknown) => void {
  return (part) => {
    // the thread sends lists of objects only
    for (const object of part as ManifestObject[]) objects.push(object);
  };
}
