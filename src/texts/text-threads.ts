import { LRUCache } from 'lru-cache';
import type { ChartContent } from '../chart/load/chart-content.ts';
import { decodeRelease, encodeRelease, type ReleaseCodec } from '../release/codec.ts';
import { ReleaseError } from '../release/error.ts';
import type { Release } from '../release/release.ts';
import { TaskError } from '../threads/tasks.ts';
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
import type { ChartReader } from '../source/chart-reader.ts';
import { createThreadPool } from '../threads/thread-pool.ts';
import type { TextThreadLimits } from './text-functions.ts';
import type { ReleaseRenderReply, ReleaseRenderTask, TextTasks } from './text-tasks.ts';

/**
 * Releases up to these sizes, encoded and unpacked, are read at once: it takes a few milliseconds.
 */
const smallRelease = 64 * 1024;
const smallUnpacked = 512 * 1024;

/** Characters of manifests whose objects are kept. */
const keptManifestCharacters = 512 * 1024;

const never = new AbortController().signal;

export interface TextThreadsOptions {
  /** Module that a thread runs. It calls `serveTasks` with `textFunctions`. */
  moduleUrl: URL;
  limits: TextThreadLimits;
  /** Number of texts that are read at the same time. */
  threads: number;
  /** Memory of this process above which the largest thread is ended, in MiB. Default: none. */
  processMemoryMb?: number | undefined;
  /** Whether charts may use Nunjucks. Default: false. */
  allowNunjucks?: boolean;
}

/** Reads texts of strangers in threads. */
export interface TextThreads {
  chartReader: ChartReader;
  renderer: ReleaseRenderer;
  codec: ReleaseCodec;
  close(): Promise<void>;
}

/** Returns threads that read charts, values, manifests, indexes and stored releases. */
export function createTextThreads({ allowNunjucks = false, threads, ...options }: TextThreadsOptions): TextThreads {
  const pool = createThreadPool<TextTasks>({ ...options, size: threads });
  const tooLarge = 'too_large' as const;
  // the steps of an operation read the same manifests
  const manifests = new LRUCache<string, ManifestObject[]>({ maxSize: keptManifestCharacters });

  async function pass(task: ReleaseRenderTask, signal: AbortSignal): Promise<ReleaseRenderReply> {
    const { chart, release } = task;
    return pool.run('render', task, { signal, owner: ownerOf(release), subject: `rendering chart ${chart.name}` });
  }

  async function renderPasses({ lookup, ...request }: ReleaseRenderRequest, signal: AbortSignal) {
    const task: ReleaseRenderTask = {
      chart: request.chart,
      values: request.values,
      release: request.release,
      capabilities: resolveCapabilities(request.capabilities, defaultHelmVersion),
      options: { allowNunjucks, ...request.options },
      forPostRender: request.postRender !== undefined,
      hideSecrets: request.hideSecrets ?? false,
    };
    if (lookup === undefined) return pass(task, signal);
    return renderWithLookups(request.chart.name, lookup, async (results) => {
      const reply = await pass({ ...task, lookups: results }, signal);
      return reply.type === 'missing' ? { missing: reply.lookups } : { done: reply };
    });
  }

  async function render(request: ReleaseRenderRequest, signal: AbortSignal): Promise<RenderedRelease> {
    const reply = await renderPasses(request, signal);
    switch (reply.type) {
      case 'rendered':
        return reply.release;
      case 'files': {
        const { postRender = (text: string) => text, postRenderStrategy, release, hideSecrets = false } = request;
        const files = await postRendered(reply.files, postRender, postRenderStrategy);
        const subject = `splitting the manifests of chart ${request.chart.name}`;
        const split = await pool.run(
          'splitFiles',
          { files, hideSecrets },
          { signal, owner: ownerOf(release), subject },
        );
        return { ...reply.parts, ...split };
      }
      case 'missing':
        throw new Error('a render without a cluster asked for objects');
    }
  }

  async function crds(chart: ChartContent, values: ReleaseRenderRequest['values'], signal: AbortSignal) {
    const objects: ManifestObject[] = [];
    const onPart = collect(objects);
    const subject = `reading the CRDs of chart ${chart.name}`;
    const files = await pool.run('crds', { chart, values }, { signal, owner: chart.digest, subject, onPart });
    return files.map(({ name, objectCount }): CrdManifest => ({ name, objects: objects.splice(0, objectCount) }));
  }

  async function decodeInThread(encoded: string, signal: AbortSignal): Promise<Release> {
    try {
      const options = { signal, subject: 'reading a stored release', limitCode: tooLarge };
      return await pool.run('decodeRelease', { encoded }, options);
    } catch (cause) {
      if (!(cause instanceof TaskError)) throw cause;
      const code = cause.code === 'release_corrupt' ? 'release_corrupt' : 'release_too_large';
      throw new ReleaseError(code, cause.message, { cause });
    }
  }

  return {
    chartReader: {
      readArchive: (archive, signal) =>
        pool.run(
          'readArchive',
          { archive },
          { signal, subject: "reading the chart's archive", limitCode: tooLarge, transfer: ownMemory(archive) },
        ),
      readFolder: (folder, root, signal) =>
        pool.run('readFolder', { folder, root }, { signal, subject: 'reading the chart', limitCode: tooLarge }),
      findChart: (index, query, signal) =>
        pool.run(
          'findChart',
          { index, query },
          { signal, subject: `reading the index at ${query.where}`, limitCode: tooLarge, transfer: ownMemory(index) },
        ),
    },
    renderer: {
      crds,
      render,
      async readObjects(manifest, prefix, signal) {
        const known = manifests.get(manifest);
        if (known !== undefined) return known;
        const objects: ManifestObject[] = [];
        const onPart = collect(objects);
        const subject = 'reading a manifest';
        await pool.run('readObjects', { manifest, prefix }, { signal, subject, onPart, limitCode: tooLarge });
        manifests.set(manifest, objects, { size: 1 + manifest.length });
        return objects;
      },
    },
    codec: {
      async encode(release, signal = never) {
        if (textSize(release) <= smallUnpacked) return encodeRelease(release);
        return pool.run('encodeRelease', { release }, { signal, subject: 'encoding a release', limitCode: tooLarge });
      },
      async decode(encoded, signal = never) {
        const small = encoded.length <= smallRelease ? await decodeSmall(encoded) : undefined;
        return small ?? decodeInThread(encoded, signal);
      },
    },
    close: () => pool.close(),
  };
}

/** Returns about the size of a release as JSON. */
function textSize({ manifest, hooks = [], chart }: Release): number {
  const files = [...(chart.templates ?? []), ...(chart.files ?? [])];
  const texts = [manifest, ...hooks.map((hook) => hook.manifest), ...files.map(({ data }) => data ?? '')];
  return texts.reduce((sum, text) => sum + text.length, 0);
}

/** Returns undefined if the release unpacks to more than {@link smallUnpacked}. */
async function decodeSmall(encoded: string): Promise<Release | undefined> {
  try {
    return await decodeRelease(encoded, smallUnpacked);
  } catch (error) {
    if (error instanceof ReleaseError && error.code === 'release_too_large') return undefined;
    throw error;
  }
}

/** Returns the memory of bytes that share it with nothing else, so that it can be moved. */
function ownMemory({ buffer, byteLength }: Uint8Array): ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
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
