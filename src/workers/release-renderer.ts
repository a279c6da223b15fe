import { LRUCache } from 'lru-cache';
import { postRendered } from '../render/manifest/post-render.ts';
import type {
  CrdManifest,
  ManifestObject,
  ReleaseRenderer,
  ReleaseRenderRequest,
  RenderedRelease,
} from '../render/release-renderer.ts';
import { defaultHelmVersion, resolveCapabilities } from '../render/scope/capabilities.ts';
import { renderWithLookups } from '../render/scope/lookup-rounds.ts';
import type { ReleaseRenderReply, ReleaseRenderTask } from './tasks.ts';
import type { WorkerPool } from './worker-pool.ts';

/** Characters of manifests whose objects are kept. */
const keptManifestCharacters = 512 * 1024;

/** Returns a renderer that does its work in threads. */
export function threadedRenderer(workers: WorkerPool, allowNunjucks: boolean): ReleaseRenderer {
  return {
    crds: (chart, values, signal) => readCrds(workers, { chart, values }, signal),
    render: (request, signal) => renderRelease(workers, allowNunjucks, request, signal),
    readObjects: manifestReading(workers),
  };
}

async function readCrds(
  workers: WorkerPool,
  { chart, values }: Pick<ReleaseRenderRequest, 'chart' | 'values'>,
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

async function renderRelease(
  workers: WorkerPool,
  allowNunjucks: boolean,
  request: ReleaseRenderRequest,
  signal: AbortSignal,
): Promise<RenderedRelease> {
  const reply = await renderPasses(workers, allowNunjucks, request, signal);
  switch (reply.type) {
    case 'rendered':
      return reply.release;
    case 'files': {
      const { chart, postRender = (text: string) => text, postRenderStrategy, release, hideSecrets = false } = request;
      const files = await postRendered(reply.files, postRender, postRenderStrategy);
      const subject = `splitting the manifests of chart ${chart.name}`;
      const options = { signal, owner: ownerOf(release), subject };
      return { ...reply.parts, ...(await workers.run('splitFiles', { files, hideSecrets }, options)) };
    }
    case 'missing':
      throw new Error('a render without a cluster asked for objects');
  }
}

/** Renders until no lookup is missing. */
async function renderPasses(
  workers: WorkerPool,
  allowNunjucks: boolean,
  { lookup, resolveHost, ...request }: ReleaseRenderRequest,
  signal: AbortSignal,
): Promise<ReleaseRenderReply> {
  const task: ReleaseRenderTask = {
    chart: request.chart,
    values: request.values,
    release: request.release,
    capabilities: resolveCapabilities(request.capabilities, defaultHelmVersion),
    options: { allowNunjucks, ...request.options },
    forPostRender: request.postRender !== undefined,
    hideSecrets: request.hideSecrets ?? false,
    includeCrds: request.includeCrds ?? false,
    resolvesHosts: resolveHost !== undefined,
  };
  if (lookup === undefined && resolveHost === undefined) return renderOnce(workers, task, signal);
  return renderWithLookups(request.chart.name, { lookup, resolveHost }, async (results) => {
    const reply = await renderOnce(workers, { ...task, lookups: results }, signal);
    return reply.type === 'missing' ? { missing: reply.lookups } : { done: reply };
  });
}

function renderOnce(workers: WorkerPool, task: ReleaseRenderTask, signal: AbortSignal): Promise<ReleaseRenderReply> {
  const options = { signal, owner: ownerOf(task.release), subject: `rendering chart ${task.chart.name}` };
  return workers.runSized((mayBeLarge) => workers.run('render', { ...task, mayBeLarge }, options), signal);
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

function ownerOf({ namespace, name }: ReleaseRenderTask['release']): string {
  return `${namespace}/${name}`;
}
