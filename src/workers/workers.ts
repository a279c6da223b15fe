import { textRedaction } from '../redaction/redact-texts.ts';
import type { Redactor } from '../redaction/redactor.ts';
import type { ReleaseCodec } from '../release/codec.ts';
import type { Helm2Decoder } from '../release/helm2/decode-helm2.ts';
import type { ReleaseRenderer } from '../render/release-renderer.ts';
import type { ChartReader } from '../source/chart-reader.ts';
import { createThreadPool } from '../threads/thread-pool.ts';
import { createLargeTexts, type LargeTexts } from './large-texts.ts';
import type { TextThreadLimits } from './limits.ts';
import { threadedCodec, threadedHelm2Decoder } from './release-codec.ts';
import { threadedRenderer } from './release-renderer.ts';
import type { WorkerTasks } from './tasks.ts';
import { createWorkerPool, type WorkerPool } from './worker-pool.ts';

interface WorkerOptions {
  /** Module that a thread runs. It calls `serveTasks` with `taskFunctions`. */
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
export interface Workers {
  chartReader: ChartReader;
  renderer: ReleaseRenderer;
  codec: ReleaseCodec;
  helm2Decoder: Helm2Decoder;
  redactor: Redactor;
  /** Lets one command at a time have large texts. */
  large: Pick<LargeTexts, 'run' | 'waitForTurn'>;
  close(): Promise<void>;
}

/** Returns threads that read charts, values, manifests, indexes and stored releases. */
export function createWorkers({ allowNunjucks = false, threads, afterLarge, ...options }: WorkerOptions): Workers {
  const pool = createThreadPool<WorkerTasks>({ ...options, size: threads });
  const large = createLargeTexts(afterLarge);
  const workers = createWorkerPool(pool, large);
  return {
    chartReader: threadedChartReader(workers),
    renderer: threadedRenderer(workers, allowNunjucks),
    codec: threadedCodec(workers),
    helm2Decoder: threadedHelm2Decoder(workers),
    redactor: threadedRedactor(workers),
    large,
    close: () => pool.close(),
  };
}

const limitCode = 'too_large';

/** Returns a reader of charts and indexes in threads. */
function threadedChartReader(workers: WorkerPool): ChartReader {
  return {
    readArchive(archive, signal, read) {
      const options = { signal, subject: "reading the chart's archive", limitCode } as const;
      return workers.runSized(
        (mayBeLarge) => workers.run('readArchive', { archive, mayBeLarge, ...read }, options),
        signal,
      );
    },
    readFolder(folder, root, signal, read) {
      const options = { signal, subject: 'reading the chart', limitCode } as const;
      return workers.runSized(
        (mayBeLarge) => workers.run('readFolder', { folder, root, mayBeLarge, ...read }, options),
        signal,
      );
    },
    addFiles(chart, files, signal) {
      const options = { signal, subject: 'reading the dependencies of the chart', limitCode } as const;
      return workers.runSized((mayBeLarge) => workers.run('addFiles', { chart, files, mayBeLarge }, options), signal);
    },
    findChart(index, query, signal) {
      return workers.run(
        'findChart',
        { index, query },
        { signal, subject: `reading the index at ${query.where}`, limitCode },
      );
    },
    verifyCosign: (task, signal) =>
      workers.run('verifyCosign', task, { signal, subject: "verifying the chart's signatures", limitCode }),
    verifyProvenance: (task, signal) =>
      workers.run('verifyProvenance', task, { signal, subject: "verifying the chart's provenance file", limitCode }),
  };
}

/** Characters of texts and of secrets that are redacted at once, in a few milliseconds. */
const smallTexts = 32 * 1024;
const smallSecrets = 8 * 1024;

/** Returns a redactor that reads all but small texts in threads. */
function threadedRedactor(pool: WorkerPool): Redactor {
  let last: { secrets: readonly string[]; redact: (text: string) => string } | undefined;

  function redactHere(texts: readonly string[], secrets: readonly string[]): string[] {
    // evidence has many small texts
    if (last?.secrets !== secrets) last = { secrets, redact: textRedaction(secrets) };
    return texts.map(last.redact);
  }

  return {
    findSecrets: (given, signal) =>
      pool.runSized(
        (mayBeLarge) =>
          pool.run('findSecrets', { ...given, mayBeLarge }, { signal, subject: 'finding the secrets of a release' }),
        signal,
      ),
    async redact(texts, secrets, signal) {
      if (lengthOf(texts) <= smallTexts && lengthOf(secrets) <= smallSecrets) return redactHere(texts, secrets);
      return await pool.run('redact', { texts, secrets }, { signal, subject: 'redacting the texts of the cluster' });
    },
  };
}

function lengthOf(texts: readonly string[]): number {
  return texts.reduce((sum, { length }) => sum + length, 0);
}
