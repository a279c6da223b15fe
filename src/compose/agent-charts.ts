import { UploadedCharts } from '../agent/charts/uploaded-charts.ts';
import type { TunnelSource } from '../agent/connection/tunnel-source.ts';
import type { Logger } from '../agent/logger.ts';
import { codeOf } from '../errors/index.ts';
import type { ProxyEnvironment } from '../go/http-proxy.ts';
import { type ChartSource, createChartSource } from '../source/chart-source.ts';
import { KeptDownloads } from '../source/disk/kept-downloads.ts';
import { KeptFiles } from '../source/disk/kept-files.ts';
import type { Workers } from '../workers/workers.ts';

export interface AgentChartsOptions {
  tunnels: TunnelSource;
  workers: Pick<Workers, 'chartReader' | 'large'>;
  log: Logger;
  localCharts?: string | undefined;
  denyAddresses?: readonly string[] | undefined;
  /** Environment with the proxies for downloads. Default: no proxy. */
  proxyEnv?: ProxyEnvironment | undefined;
  downloadTimeoutMs?: number | undefined;
  plainHttp?: boolean | undefined;
  /** The time at which signatures of charts have to be valid. */
  now: () => Date;
}

/** Where an agent gets charts from. What it has downloaded and received is kept on disk. */
export interface AgentCharts {
  source: ChartSource;
  close(): void;
}

export function agentCharts({ tunnels, workers, log, ...options }: AgentChartsOptions): AgentCharts {
  const { waitForTurn } = workers.large;
  const files = new KeptFiles({ waitForTurn });
  const uploads = new UploadedCharts({ tunnels, files });
  const onProblem = (error: unknown) => {
    log.warn({ code: codeOf(error) ?? 'internal' }, 'cannot keep a download on disk');
  };
  const source = createChartSource({
    readUpload: (digest, signal) => uploads.load(digest, signal),
    machine: "the agent's machine",
    localCharts: options.localCharts,
    denyAddresses: options.denyAddresses,
    proxyEnv: options.proxyEnv,
    retry: true,
    kept: new KeptDownloads({ files, onProblem }),
    timeoutMs: options.downloadTimeoutMs,
    reader: workers.chartReader,
    plainHttp: options.plainHttp,
    waitForTurn,
    now: options.now,
  });
  return { source, close: () => files.clear() };
}
