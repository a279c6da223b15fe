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
import { createLargeTexts, type LargeTexts } from './large-texts.ts';
import type { TextThreadLimits } from './limits.ts';
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
  /** Called after a command that had large texts. Default: no call. */
  afterLarge?: (() => void) | undefined;
}

/** Reads texts of strangers in threads. */
export interface TextThreads {
  chartReader: ChartReader;
  renderer: ReleaseRenderer;
  codec: ReleaseCodec;
  /** Lets one command at a time have large texts. */
  large: Pick<LargeTexts, 'run' | 'waitForTurn'>;
  close(): Promise<void>;
}

/** Returns threads that read charts, values, manifests, indexes and stored releases. */
export function createTextThreads({
  allowNunjucks = false,
  threads,
  afterLarge,
  ...options
}: TextThreadsOptions): TextThreads {
  const pool = createThreadPool<TextTasks>({ ...options, size: threads });
  const large = createLargeTexts(afterLarge);
  const tooLarge = 'too_large' as const;
  // the steps of an operation read the same manifests
  const manifests = new LRUCache<string, ManifestObject[]>({ maxSize: keptManifestCharacters });

  /** Runs a task again in the turn of the calling command if its output is large. */
  async function runSized<Output>(run: (mayBeLarge: boolean) => Promise<Output>, signal: AbortSignal): Promise<Output> {
    const mayBeLarge = large.mayBeLarge();
    try {
      return await run(mayBeLarge);
    } catch (error) {
      if (mayBeLarge || !(error instanceof TaskError) || error.code !== 'large_text') throw error;
      await large.waitForTurn(signal);
      return run(true);
    }
  }

  async function pass(task: ReleaseRenderTask, signal: AbortSignal): Promise<ReleaseRenderReply> {
    const { chart, release } = task;
    const options = { signal, owner: ownerOf(release), subject: `rendering chart ${chart.name}` };
    return runSized((mayBeLarge) => pool.run('render', { ...task, mayBeLarge }, options), signal);
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
    const subject = `reading the CRDs of chart ${chart.name}`;
    let objects: ManifestObject[] = [];
    const files = await runSized((mayBeLarge) => {
      objects = [];
      const options = { signal, owner: chart.digest, subject, onPart: collect(objects) };
      return pool.run('crds', { chart, values, mayBeLarge }, options);
    }, signal);
    return files.map(({ name, objectCount }): CrdManifest => ({ name, objects: objects.splice(0, objectCount) }));
  }

  async function decodeInThread(encoded: string, signal: AbortSignal): Promise<Release> {
    try {
      const options = { signal, subject: 'reading a stored release', limitCode: tooLarge };
      return await runSized((mayBeLarge) => pool.run('decodeRelease', { encoded, mayBeLarge }, options), signal);
    } catch (cause) {
      if (!(cause instanceof TaskError)) throw cause;
      const code = cause.code === 'release_corrupt' ? 'release_corrupt' : 'release_too_large';
      throw new ReleaseError(code, cause.message, { cause });
    }
  }

  return {
    chartReader: {
      readArchive(archive, signal) {
        const options = { signal, subject: "reading the chart's archive", limitCode: tooLarge };
        return runSized((mayBeLarge) => pool.run('readArchive', { archive, mayBeLarge }, options), signal);
      },
      readFolder(folder, root, signal) {
        const options = { signal, subject: 'reading the chart', limitCode: tooLarge };
        return runSized((mayBeLarge) => pool.run('readFolder', { folder, root, mayBeLarge }, options), signal);
      },
      findChart(index, query, signal) {
        const options = { signal, subject: `reading the index at ${query.where}`, limitCode: tooLarge };
        return pool.run('findChart', { index, query }, options);
      },
    },
    renderer: {
      crds,
      render,
      async readObjects(manifest, prefix, signal) {
        const known = manifests.get(manifest);
        if (known !== undefined) return known;
        let objects: ManifestObject[] = [];
        await runSized((mayBeLarge) => {
          objects = [];
          const options = { signal, subject: 'reading a manifest', onPart: collect(objects), limitCode: tooLarge };
          return pool.run('readObjects', { manifest, prefix, mayBeLarge }, options);
        }, signal);
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
    large,
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
