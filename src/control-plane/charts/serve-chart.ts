import { pipeline } from 'node:stream';
import { chartStreamSchema } from '../../protocol/streams/chart-stream.ts';
import { type RateClock, takenInTime } from '../../protocol/streams/least-rate.ts';
import type { TunnelStream } from '../../protocol/streams/tunnel-stream.ts';
import { ControlPlaneError } from '../error.ts';
import type { ChartArchives } from './chart-archives.ts';

export interface ChartServer {
  charts: Pick<ChartArchives, 'read'>;
  /** Whether a command of the agent that has no result yet needs the chart. */
  isNeeded: (digest: string) => boolean;
  /** Default: that of the process. */
  clock?: RateClock;
}

/** Sends a chart in a stream that an agent has opened, or resets the stream. */
export function serveChart(header: unknown, stream: TunnelStream, { charts, isNeeded, clock }: ChartServer): void {
  const read = chartStreamSchema.safeParse(header);
  if (!read.success) {
    stream.destroy(new ControlPlaneError('unsupported', 'this control plane does not know streams of this kind'));
    return;
  }
  const { digest, offset } = read.data;
  const archive = isNeeded(digest) ? charts.read(digest, offset) : undefined;
  if (!archive) {
    stream.destroy(new ControlPlaneError('chart_not_found', `the chart ${digest} is not uploaded; upload it again`));
    return;
  }
  stream.resume(); // the agent sends nothing
  // the path is nothing for agents
  archive.once('error', () => stream.destroy(new ControlPlaneError('store_unavailable', 'it cannot be read')));
  const tooSlow = () => new ControlPlaneError('timeout', 'the agent takes the chart too slowly');
  const taken = takenInTime<Buffer>(archive, (error) => stream.destroy(error), { tooSlow, clock });
  pipeline(taken, stream, () => archive.destroy()); // the agent opens another stream if this one fails
}
