import { processDependencies } from '../chart/process-dependencies.ts';
import type { Host } from '../go/host.ts';
import { decodeRelease, encodeRelease } from '../release/codec.ts';
import { ReleaseError } from '../release/error.ts';
import { decodeHelm2Release } from '../release/helm2/decode-helm2.ts';
import type { Release } from '../release/release.ts';
import { crdFiles } from '../render/manifest/crds.ts';
import { createChartReader } from '../source/chart-reader.ts';
import type { TaskFunctions } from '../threads/tasks.ts';
import { countValueNodes, largeText, requireManifestBytes } from './budget.ts';
import { smallBytes } from './large-texts.ts';
import type { TextThreadLimits } from './limits.ts';
import { createLoadedCharts } from './loaded-charts.ts';
import { readValues } from './read-values.ts';
import { releaseRendering, splitManifest, withDefaults } from './render-release.ts';
import { createObjectSender } from './send-objects.ts';
import type { CrdSummary, TextTasks } from './text-tasks.ts';

const never = new AbortController().signal;

/** Returns the functions behind {@link TextTasks}, which keep recently used charts. */
export function textFunctions(host: Host, limits: TextThreadLimits): TaskFunctions<TextTasks> {
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

    decodeRelease: ({ encoded, mayBeLarge }) => decodeWith(decodeRelease, encoded, mayBeLarge),
    decodeHelm2Release: ({ encoded, mayBeLarge }) => decodeWith(decodeHelm2Release, encoded, mayBeLarge),

    encodeRelease: ({ release }) => encodeRelease(release),
  };
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
