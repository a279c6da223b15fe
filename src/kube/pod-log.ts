import { apiPath } from '../objects/api-path.ts';
import type { ContainerRef, LogLine, LogOptions } from '../objects/cluster.ts';
import { isKubeError, KubeError } from './kube-error.ts';
import { readLines } from './lines.ts';
import type { KubeRequest, Transport } from './transport.ts';

/** Limit for containers that write no newlines: their last line can be as long as the log file. */
const maxBytes = 1024 * 1024;

/** UTF-16 units of a line that are kept. */
const maxLineLength = 64 * 1024;

/** A line with its time. Errors of the kubelet are among the lines, too, but have no time. */
const timedLine = /^(\d{4}-\d\d-\d\dT\S+) (.*)$/su;

const pods = { apiVersion: 'v1', resource: 'pods', namespaced: true };

/**
 * Returns the last lines of a container's log. Returns an empty string if there is no such pod, or
 * if the container has not started yet, which the API server refuses with 400.
 */
export async function readPodLog(
  transport: Transport,
  pod: ContainerRef,
  options: { tailLines: number; previous?: boolean; signal?: AbortSignal },
): Promise<string> {
  try {
    return await transport.text(
      logRequest(pod, options, { tailLines: String(options.tailLines), limitBytes: String(maxBytes) }),
    );
  } catch (error) {
    if (isKubeError(error, 'not_found', 'bad_request')) return '';
    throw error;
  }
}

/**
 * Yields the lines of a container's log as they are written, until its run ends. Fails with
 * `unreachable` if the stream breaks. Yields nothing if {@link readPodLog} returns nothing.
 */
export async function* followPodLog(
  transport: Transport,
  pod: ContainerRef,
  { after = '', previous, signal }: { after?: string | undefined; previous?: boolean; signal: AbortSignal },
): AsyncGenerator<LogLine, void, undefined> {
  const query = { follow: 'true', timestamps: 'true', sinceTime: after === '' ? undefined : wholeSeconds(after) };
  try {
    const body = await transport.stream(logRequest(pod, { previous, signal }, query));
    for await (const line of readTextLines(body, maxLineLength)) {
      const [, time = '', text = ''] = timedLine.exec(line) ?? [];
      // the API server compares whole seconds
      if (time > after) yield { time, text };
    }
  } catch (error) {
    signal.throwIfAborted();
    if (isKubeError(error, 'not_found', 'bad_request')) return;
    if (error instanceof KubeError) throw error;
    throw brokenLog(pod, error);
  }
}

/**
 * Yields the bytes of a container's log, each line with its time before it. Fails with
 * `bad_request` if the container has not started, and with `unreachable` if the stream breaks.
 */
export async function* streamPodLog(
  transport: Transport,
  pod: ContainerRef,
  { since, tail, follow = false, previous, signal }: LogOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  const query = {
    ...{ timestamps: 'true', sinceTime: since, tailLines: tail === undefined ? undefined : String(tail) },
    follow: follow ? 'true' : undefined,
  };
  const body = await transport.stream(logRequest(pod, { previous, signal }, query));
  try {
    yield* body;
  } catch (error) {
    signal.throwIfAborted();
    throw brokenLog(pod, error);
  }
}

function brokenLog({ container, name }: ContainerRef, cause: unknown): KubeError {
  return new KubeError('unreachable', `the log of container ${container} of pod ${name} broke off`, { cause });
}

function logRequest(
  { namespace, name, container }: ContainerRef,
  { previous, signal }: { previous?: boolean | undefined; signal?: AbortSignal | undefined },
  query: Readonly<Record<string, string | undefined>>,
): KubeRequest {
  return {
    method: 'GET',
    path: apiPath(pods, { namespace, name, subresource: 'log' }),
    query: { container, ...query, previous: previous === true ? 'true' : undefined },
    accept: '*/*',
    signal,
  };
}

function wholeSeconds(time: string): string {
  return time.replace(/\.\d+/, '');
}

/**
 * Yields the lines of a stream of text, the last one also without a line break. A line keeps only
 * its first `maxLength` UTF-16 units. Reads the stream only as fast as lines are consumed.
 */
async function* readTextLines(
  chunks: AsyncIterable<Uint8Array>,
  maxLength: number,
): AsyncGenerator<string, void, undefined> {
  const shortened = (text: string) => text.slice(0, maxLength);
  for await (const { text } of readLines(chunks, shortened)) yield shortened(text);
}
