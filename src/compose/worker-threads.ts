import { availableParallelism } from 'node:os';
import { type ChartLimits, defaultChartLimits } from '../chart/limits.ts';
import { defaultRenderLimits, type RenderLimits } from '../render/limits.ts';
import { defaultTextLimits, type TextLimits } from '../workers/limits.ts';
import { createWorkers, type Workers } from '../workers/workers.ts';
import { moduleUrl } from './module-url.ts';

/** Limits by what they are for. Default of each group: its own defaults. */
export interface TextLimitGroups {
  render?: RenderLimits;
  chart?: ChartLimits;
  text?: TextLimits;
}

/** Share of the process' memory above which a thread is ended. */
const memoryShare = 0.8;

/** Returns threads that read texts of strangers with the module `worker-thread` of this program. */
export function openWorkers({
  allowNunjucks,
  afterLarge,
  memoryLimitMb,
  limits: { render = defaultRenderLimits, chart = defaultChartLimits, text = defaultTextLimits } = {},
}: {
  allowNunjucks: boolean;
  limits?: TextLimitGroups;
  /** Memory that this process may take, in MiB. Default: as much as there is. */
  memoryLimitMb?: number | undefined;
  /** Called after a command that had large texts. Default: no call. */
  afterLarge?: (() => void) | undefined;
}): Workers {
  return createWorkers({
    moduleUrl: moduleUrl('worker-thread'),
    limits: { ...render, ...chart, ...text },
    // a second thread, so that one long render does not hold up the others
    threads: Math.min(2, availableParallelism()),
    processMemoryMb: memoryLimitMb === undefined ? undefined : memoryLimitMb * memoryShare,
    allowNunjucks,
    afterLarge,
  });
}
