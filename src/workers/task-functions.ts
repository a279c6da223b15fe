import { processDependencies } from '../chart/process-dependencies.ts';
import type { Host } from '../go/host.ts';
import type { KubeObject } from '../objects/object.ts';
import { findSecrets } from '../redaction/find-secrets.ts';
import { redactTexts } from '../redaction/redact-texts.ts';
import { decodeRelease, encodeRelease } from '../release/codec.ts';
import { ReleaseError } from '../release/error.ts';
import { decodeHelm2Release } from '../release/helm2/decode-helm2.ts';
import type { Release } from '../release/release.ts';
import { crdFiles } from '../render/manifest/documents.ts';
import { readObjects } from '../render/manifest/read-objects.ts';
import { rewriteManifest } from '../render/manifest/rewrite-manifest.ts';
import type { ManifestObject } from '../render/release-renderer.ts';
import { createChartReader } from '../source/chart-reader.ts';
import type { TaskFunctions, TaskTools } from '../threads/tasks.ts';
import { countObjectNodes, countValueNodes, largeText, requireManifestBytes, requireObjectCount } from './budget.ts';
import { smallBytes } from './large-texts.ts';
import type { TextLimits, TextThreadLimits } from './limits.ts';
import { createLoadedCharts } from './loaded-charts.ts';
import type { NodeCounter } from './node-counter.ts';
import { readSecretValues, readValues } from './read-values.ts';
import { releaseRendering, splitManifest, withDefaults } from './render-release.ts';
import type { CrdSummary, WorkerTasks } from './tasks.ts';

const never = new AbortController().signal;

/** Returns the functions behind {@link WorkerTasks}, which keep recently used charts. */
export function taskFunctions(host: Host, limits: TextThreadLimits): TaskFunctions<WorkerTasks> {
  const reader = createChartReader(limits);
  const smallReader = createChartReader(limits, smallBytes);
  const readerFor = (mayBeLarge: boolean) => (mayBeLarge ? reader : smallReader);
  const charts = createLoadedCharts(limits);

  return {
    readArchive: ({ archive, mayBeLarge, ...options }) =>
      charts.check(readerFor(mayBeLarge).readArchive(archive, never), options),
    readFolder: ({ folder, root, mayBeLarge, ...options }) =>
      charts.check(readerFor(mayBeLarge).readFolder(folder, root, never), options),
    addFiles: ({ chart, files, mayBeLarge }) => charts.check(readerFor(mayBeLarge).addFiles(chart, files, never)),
    findChart: ({ index, query }) => reader.findChart(index, query, never),
    verifyCosign: (task) => reader.verifyCosign(task, never),
    verifyProvenance: (task) => reader.verifyProvenance(task, never),

    async crds({ chart: content, values, mayBeLarge }, tools) {
      const given = readValues(values);
      const installed = withDefaults(await charts.chartOf(content), given.defaults);
      const chart = processDependencies(installed, given.values, () => undefined, limits.charts);
      const objects = createObjectSender('the CRDs of the chart have', limits, mayBeLarge, tools);
      return crdFiles(chart).map(({ name, data }): CrdSummary => {
        tools.supervisor.enter(name);
        const text = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString();
        return { name, objectCount: objects.send(text, `failed to install CRD ${name}`) };
      });
    },

    render: releaseRendering(host, limits, charts),
    splitFiles({ files, hideSecrets }) {
      requireManifestBytes(files, limits);
      return splitManifest(files, hideSecrets, limits);
    },

    readObjects({ manifest, prefix, mayBeLarge }, tools) {
      createObjectSender('the manifest has', limits, mayBeLarge, tools).send(manifest, prefix);
      return undefined;
    },

    rewriteImages: ({ manifests, rules }) =>
      manifests.map((manifest) => rewriteManifest(manifest, rules, rules.namespace)),

    secretValues: ({ sources }) => readSecretValues(sources),

    decodeRelease: ({ encoded, mayBeLarge }) => decodeWith(decodeRelease, encoded, mayBeLarge),
    decodeHelm2Release: ({ encoded, mayBeLarge }) => decodeWith(decodeHelm2Release, encoded, mayBeLarge),

    encodeRelease: ({ release }) => encodeRelease(release),

    findSecrets({ manifest, objects, namespace, mayBeLarge }) {
      const nodes = countObjectNodes('the manifest has', limits, mayBeLarge);
      return findSecrets(allObjects(manifest, objects, nodes), namespace);
    },

    redact: ({ texts, secrets }) => redactTexts(texts, secrets),
  };

  function* allObjects(manifest: string, objects: readonly KubeObject[], nodes: NodeCounter): Generator<KubeObject> {
    for (const { object } of readObjects(manifest, 'unable to read the manifest')) {
      nodes.add(object);
      yield object;
    }
    yield* objects;
  }

  async function decodeWith(
    decode: (encoded: string, limit: number) => Promise<Release>,
    encoded: string,
    mayBeLarge: boolean,
  ): Promise<Release> {
    const most = mayBeLarge ? limits.releaseBytes : Math.min(smallBytes, limits.releaseBytes);
    const release = await decode(encoded, most).catch((error: unknown) => {
      const isTooLarge = error instanceof ReleaseError && error.code === 'release_too_large';
      throw isTooLarge && most < limits.releaseBytes ? largeText() : error;
    });
    countValueNodes('the stored release has', limits).add(release);
    return release;
  }
}

/** Sends the objects of texts in parts. All texts have one budget together. */
interface ObjectSender {
  /** Sends the objects of a text, and returns their number. */
  send(text: string, prefix: string): number;
}

/** @param subject start of the error when there are too many nodes: `the manifest has` */
function createObjectSender(
  subject: string,
  limits: TextLimits,
  mayBeLarge: boolean,
  { sendPart }: TaskTools,
): ObjectSender {
  const nodes: NodeCounter = countObjectNodes(subject, limits, mayBeLarge);
  return {
    send(text, prefix) {
      const parts = createPartSender<ManifestObject>(sendPart, nodes);
      let count = 0;
      for (const object of readObjects(text, prefix)) {
        count++;
        requireObjectCount(count, limits, `${prefix}: ${object.source}: the manifest has`);
        parts.add(object);
      }
      parts.end();
      return count;
    },
  };
}

/** Number of nodes of a part: reading one takes a few milliseconds. */
const nodesOfPart = 20_000;

/** Sends the elements of a list in parts of bounded size. */
interface PartSender<Element> {
  add(element: Element): void;
  /** Sends the rest. */
  end(): void;
}

/** @param nodes counts the nodes of all parts and throws at the limit */
function createPartSender<Element>(send: (part: unknown) => void, nodes: NodeCounter): PartSender<Element> {
  let part: Element[] = [];
  let sent = 0;
  let total = 0;
  const end = () => {
    if (part.length > 0) send(part);
    part = [];
    sent = total;
  };
  return {
    add(element) {
      part.push(element);
      total = nodes.add(element);
      if (total - sent >= nodesOfPart) end();
    },
    end,
  };
}
