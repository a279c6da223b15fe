import { apiPath } from '../objects/api-path.ts';
import type { ContainerRef, FollowOptions, LogLine, LogOptions } from '../objects/cluster.ts';
import { isKubeError, KubeError } from './kube-error.ts';
import { readLines } from './lines.ts';
import type { KubeRequest, Transport } from './transport.ts';

/** Limit for containers that write no newlines: their last line can be as long as the log file. */
const maxBytes = 1024 * 1024;

/** UTF-16 units of a line that are kept. */
const maxLineLength = 64 * 1024;

/** A line with its time. Only the end of a line whose beginning is not shown has no time. */
const timedLine = /^(\d{4}-\d\d-\d\dT\S+) (.*)$/su;

/** The time of a line, or the beginning of one. */
const partOfTime = /^\d[\d:.TZ+-]*$/u;

/** Most bytes of the time of a line with the space after it. */
const maxTimeLength = 64;

/** Most bytes of an error of the kubelet. What is longer is a line. */
const maxErrorBytes = 4096;

const newline = 0x0a;

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
 * Yields the lines of a container's log as they are written, until its run ends, but not the last
 * one if it has no line break. Without `follow`, yields all lines so far. Only the first UTF-16
 * units of a long line are kept. Fails with `unreachable` if the stream breaks, and with
 * `server_error` if the kubelet cannot read on. Yields nothing if {@link readPodLog} returns
 * nothing.
 */
export async function* followPodLog(
  transport: Transport,
  pod: ContainerRef,
  { after = '', previous, follow = true, signal }: FollowOptions,
): AsyncGenerator<LogLine, void, undefined> {
  const query = {
    follow: follow ? 'true' : undefined,
    ...{ timestamps: 'true', sinceTime: after === '' ? undefined : wholeSeconds(after) },
  };
  try {
    const body = await transport.stream(logRequest(pod, { previous, signal }, query));
    const shortened = (text: string) => text.slice(0, maxLineLength);
    for await (const line of readLines(logBytes(pod, body), shortened)) {
      // a followed log may end in the middle of a line, with an error of the kubelet after it
      if (follow && !line.isComplete) return;
      const [, time = '', text = ''] = timedLine.exec(shortened(line.text)) ?? [];
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
 * `bad_request` if the container has not started, with `unreachable` if the stream breaks, and with
 * `server_error` if the kubelet cannot read on.
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
    yield* logBytes(pod, body);
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof KubeError ? error : brokenLog(pod, error);
  }
}

/**
 * Yields the bytes of a log with times. Fails with `server_error` if they end with an error: the
 * kubelet responds before it opens the log (`GetKubeletContainerLogs`), and writes what it fails
 * with afterwards to the end of the body, without a time and a line break.
 */
async function* logBytes(
  { container, name }: ContainerRef,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  let held: Buffer = Buffer.alloc(0);
  let isInLine = false;
  for await (const chunk of body) {
    const data =
      held.length === 0 ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length) : Buffer.concat([held, chunk]);
    const end = data.lastIndexOf(newline) + 1;
    isInLine &&= end === 0;
    const rest = data.subarray(end);
    isInLine ||= rest.length > maxErrorBytes || timedLine.test(rest.toString('latin1', 0, maxTimeLength));
    const length = isInLine ? data.length : end;
    held = data.subarray(length);
    if (length > 0) yield data.subarray(0, length);
  }
  if (held.length === 0) return;
  const text = held.toString();
  if (partOfTime.test(text)) yield held;
  else throw new KubeError('server_error', `the log of container ${container} of pod ${name} cannot be read: ${text}`);
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
