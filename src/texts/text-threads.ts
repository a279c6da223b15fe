import type { ReleaseCodec } from '../release/codec.ts';
import type { Helm2Decoder } from '../release/helm2/decode-helm2.ts';
import type { ReleaseRenderer } from '../render/release-renderer.ts';
import type { ChartReader } from '../source/chart-reader.ts';
import { createThreadPool } from '../threads/thread-pool.ts';
import { createLargeTexts, type LargeTexts } from './large-texts.ts';
import type { TextThreadLimits } from './limits.ts';
import { createTextPool } from './text-pool.ts';
import type { TextTasks } from './text-tasks.ts';
import { threadedChartReader } from './threaded-chart-reader.ts';
import { threadedCodec, threadedHelm2Decoder } from './threaded-codec.ts';
import { threadedRenderer } from './threaded-renderer.ts';

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
  helm2Decoder: Helm2Decoder;
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
  const texts = createTextPool(pool, large);
  return {
    chartReader: threadedChartReader(texts),
    renderer: threadedRenderer(texts, allowNunjucks),
    codec: threadedCodec(texts),
    helm2Decoder: threadedHelm2Decoder(texts),
    large,
    close: () => pool.close(),
  };
}
