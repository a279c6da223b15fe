import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { addAbortSignal } from 'node:stream';
import { maxUploadedChartBytes } from '../../protocol/limits.ts';
import type { ChartStreamHeader } from '../../protocol/streams/chart-stream.ts';
import { type RateClock, receivedInTime } from '../../protocol/streams/least-rate.ts';
import { StreamError } from '../../protocol/streams/stream-error.ts';
import { SourceError } from '../../source/source-error.ts';
import type { TunnelSource } from '../connection/tunnel-source.ts';

/**
 * Receives the archive of a chart from the control plane, and writes it to a file. If a connection
 * is lost, continues on the next one. Returns the size of the archive. Throws `SourceError`, or the
 * signal's reason.
 */
export async function receiveChart(
  digest: string,
  file: FileHandle,
  tunnels: Pick<TunnelSource, 'tunnel'>,
  signal: AbortSignal,
  clock?: RateClock,
): Promise<number> {
  const hash = createHash('sha256');
  let bytes = 0;
  const take = async (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxUploadedChartBytes) {
      throw new SourceError('too_large', `the chart has more than ${maxUploadedChartBytes} bytes; make it smaller`);
    }
    hash.update(chunk);
    await file.appendFile(chunk);
  };
  while (!(await receiveOnce())) signal.throwIfAborted();
  if (`sha256:${hash.digest('hex')}` === digest) return bytes;
  throw new SourceError('digest_mismatch', `the control plane sent another chart than ${digest}; upload it again`);

  /** Returns false if the connection was lost before the end. */
  async function receiveOnce(): Promise<boolean> {
    const tunnel = await tunnels.tunnel('chart', signal);
    if (!tunnel) {
      const advice = 'update it, or put the chart into a repository';
      throw new SourceError('unsupported', `the control plane cannot send charts in streams; ${advice}`);
    }
    const header: ChartStreamHeader = { kind: 'chart', digest, offset: bytes };
    const stream = tunnel.open(header);
    stream.end();
    try {
      const content: AsyncIterable<Buffer> = addAbortSignal(signal, stream);
      for await (const chunk of receivedInTime(content, { tooSlow, clock })) await take(chunk);
      return true;
    } catch (error) {
      stream.destroy();
      signal.throwIfAborted();
      if (!(error instanceof StreamError)) throw error;
      if (error.kind === 'disconnected') return false;
      throw refusalOf(error);
    }
  }
}

function tooSlow(): SourceError {
  return new SourceError('repository_timeout', 'the control plane sends the chart too slowly; try again later');
}

/** Returns the error for a chart that the control plane does not send. */
function refusalOf({ code, message }: StreamError): SourceError {
  const known = code === 'chart_not_found' || code === 'unsupported' ? code : 'repository_failed';
  return new SourceError(known, `the control plane does not send the chart: ${message}`);
}
