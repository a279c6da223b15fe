import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { ChangeNotice, Semaphore } from '../../async/index.ts';
import { messageOf } from '../../errors/index.ts';
import { hasClusterErrorCode } from '../../objects/cluster-error.ts';
import type { KubeObject } from '../../objects/object.ts';
import { encodeLogRecord, type LogCursor } from '../../protocol/streams/log-records.ts';
import { serverMilliseconds } from '../clock.ts';
import { operationOf } from '../command-operation.ts';
import type { OperationContext } from '../context.ts';
import { OperationError } from '../error.ts';
import { containerRuns } from '../logs/container-runs.ts';
import type { AnswerOf, RequestOf } from '../request.ts';
import { createTracker } from '../tracker/tracker.ts';
import { ContainerReader, type LogSelection } from './container-reader.ts';
import { utcTime } from './log-lines.ts';
import { containersOf, findLogTarget, hasEnded, type LogTarget } from './log-target.ts';

type Request = RequestOf<'pod_logs'>;

/** Number of logs that are followed at a time. Others wait until one has ended. */
const maxFollowed = 100;

/** Most problems in an answer. */
const maxProblems = 100;

const statusLists = ['initContainerStatuses', 'containerStatuses', 'ephemeralContainerStatuses'];

/** Writes the logs of containers into the stream of the command. */
export async function podLogs(context: OperationContext, request: Request): Promise<AnswerOf<'pod_logs'>> {
  if (context.openStream === undefined) {
    throw new OperationError('unsupported', 'logs need a stream; send the command through a control plane');
  }
  requireConsistent(request);
  const target = await findLogTarget(context, request);
  const pods = request.follow === true ? [] : await presentPods(context, target, request);
  const stream = await context.openStream();
  const output = logOutput(stream, context.signal);
  const reading: Reading = {
    context: { ...context, signal: output.signal },
    request,
    target,
    output,
    selected: selectionOf(context, request),
  };
  try {
    const containers = request.follow === true ? await followAll(reading) : await readAll(reading, pods);
    await output.end();
    const { problems } = output;
    return { containers, ...(problems.length > 0 && { problems: [...problems] }) };
  } catch (error) {
    context.signal.throwIfAborted();
    await output.end().catch(() => undefined);
    if (output.failure === undefined) throw error;
    const message = `the stream of the logs has ended before them: ${messageOf(output.failure)}`;
    throw new OperationError('stream_lost', message, { cause: output.failure });
  }
}

interface Reading {
  context: OperationContext;
  request: Request;
  target: LogTarget;
  output: LogOutput;
  selected: LogSelection;
}

function requireConsistent({ container, allContainers, follow, previous }: Request): void {
  const problem =
    container !== undefined && allContainers === true
      ? 'container: give either a name, or allContainers'
      : follow === true && previous === true
        ? 'previous: the log of a run that has ended cannot be followed'
        : undefined;
  if (problem !== undefined) throw new OperationError('bad_payload', problem);
}

function selectionOf(context: OperationContext, { tail, since, sinceTime, timestamps, limitBytes }: Request) {
  const now = serverMilliseconds(context);
  const first = sinceTime === undefined ? since && now - since : Date.parse(sinceTime);
  // with no line to start at, those from now on are new
  const start = tail === 0 ? now : first;
  return {
    ...{ timestamps, limitBytes, tail: tail === 0 ? undefined : tail },
    start: start === undefined ? undefined : utcTime(new Date(start).toISOString()),
  };
}

/** Returns the pods of a target, by name. Throws `not_found` if there are none. */
async function presentPods(
  { cluster, signal }: OperationContext,
  target: LogTarget,
  request: Request,
): Promise<KubeObject[]> {
  const { namespace } = request;
  const listed = await cluster.list({ apiVersion: 'v1', kind: 'Pod', namespace }, signal);
  const pods = listed.filter((pod) => target.isOf(pod));
  if (pods.length === 0) {
    throw new OperationError('not_found', `${target.text} has no pods in namespace ${namespace}`);
  }
  if (pods.every((pod) => containersOf(pod, request).length === 0)) {
    const names = [...new Set(pods.flatMap((pod) => containersOf(pod, { allContainers: true })))]
      .slice(0, 20)
      .join(', ');
    const wanted = JSON.stringify(request.container ?? '');
    throw new OperationError('not_found', `${target.text} has no container ${wanted}; it has: ${names}`);
  }
  return pods.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

/** Reads one log after the other. */
async function readAll(reading: Reading, pods: readonly KubeObject[]): Promise<number> {
  const { request, output } = reading;
  const failures: unknown[] = [];
  let count = 0;
  for (const pod of pods) {
    for (const container of containersOf(pod, request)) {
      count += 1;
      try {
        await readerOf(reading, pod, container).readOnce(request.previous === true);
      } catch (error) {
        if (output.signal.aborted) throw error;
        failures.push(error);
        await output.notice(`${pod.metadata.name}/${container}: ${messageOf(error)}`);
      }
    }
  }
  if (count > 0 && failures.length === count) throw failures[0];
  return count;
}

function readerOf(
  { context, request, output, selected }: Reading,
  { metadata: { name, namespace = '', uid = '' } }: KubeObject,
  container: string,
  isNew = false,
): ContainerReader {
  const cursor = request.cursors?.find((one) => one.uid === uid && one.pod === name && one.container === container);
  const { timestamps, limitBytes } = selected;
  return new ContainerReader({
    cluster: context.cluster,
    container: { namespace, name, container },
    uid,
    cursor,
    // one without a cursor may have waited for its turn when the command was interrupted
    isNew: isNew && request.cursors === undefined,
    selection: isNew ? { timestamps, limitBytes } : selected,
    onBytes: (next, bytes) => output.write(next, bytes),
    onNotice: (text, kind) => output.notice(text, kind),
    signal: context.signal,
  });
}

interface Followed {
  uid: string;
  pod: string;
  reader: ContainerReader;
  reading: Promise<void> | undefined;
  /** Why its log may not be read. */
  refusal: Error | undefined;
}

/** Follows the logs of present and new pods, until a single pod or a Job has ended. */
async function followAll(reading: Reading): Promise<number> {
  const { context, request, target, output } = reading;
  const { cluster, signal } = context;
  const { namespace, cursors } = request;
  const changed = new ChangeNotice();
  const tracker = context.tracker ?? createTracker(cluster);
  const tracked = tracker.track({ apiVersion: 'v1', kind: 'Pod', namespace }, changed.give);
  const { ends } = target;
  const job =
    ends?.kind === 'Job'
      ? tracker.track({ apiVersion: ends.apiVersion, kind: 'Job', namespace }, changed.give)
      : undefined;
  const turns = new Semaphore(maxFollowed);
  const followed = new Map<string, Followed>();
  let count = 0;
  let isFirst = cursors === undefined;

  async function follow(one: Followed): Promise<void> {
    one.refusal = undefined;
    try {
      await turns.run(() => one.reader.follow(), signal);
    } catch (error) {
      if (error instanceof Error && hasClusterErrorCode(error, 'forbidden')) one.refusal = error;
      if (!signal.aborted) await output.notice(`${one.pod}: ${messageOf(error)}`).catch(() => undefined);
    } finally {
      one.reading = undefined;
      changed.give();
    }
  }

  function look(pods: readonly KubeObject[]): void {
    const present = new Set<string>();
    for (const pod of pods) {
      const names = containersOf(pod, request);
      for (const run of containerRuns(pod, statusLists).filter(({ container }) => names.includes(container))) {
        const { name, uid = '' } = pod.metadata;
        const key = JSON.stringify([uid, run.container]);
        present.add(key);
        let one = followed.get(key);
        if (one === undefined) {
          count += 1;
          const reader = readerOf(reading, pod, run.container, !isFirst);
          one = { uid, pod: name, reader, reading: undefined, refusal: undefined };
          followed.set(key, one);
        }
        if (one.reader.see(run)) one.reading ??= follow(one);
      }
    }
    for (const [key, one] of followed) {
      if (present.has(key)) continue;
      one.reader.see(undefined);
      if (one.reading === undefined) followed.delete(key);
    }
  }

  async function isOver(pods: readonly KubeObject[]): Promise<boolean> {
    if (ends === undefined || [...followed.values()].some((one) => one.reading !== undefined)) return false;
    const object = ends.kind === 'Job' ? job?.objects.find({ namespace, name: ends.name }) : pods[0];
    if (job?.objects.isListed === false) return false;
    if (object !== undefined && object.metadata.uid === ends.uid && !hasEnded(object)) return false;
    // watches are behind other requests, and one of Jobs may be ahead of one of pods
    const { uid, ...ref } = ends;
    if (object === undefined && (await cluster.get({ ...ref, namespace }, signal))?.metadata.uid === uid) return false;
    const now = await cluster.list({ apiVersion: 'v1', kind: 'Pod', namespace }, signal);
    return now.filter((pod) => target.isOf(pod)).every((pod) => pods.some((seen) => isSameState(seen, pod)));
  }

  signal.addEventListener('abort', changed.give);
  try {
    for (;;) {
      signal.throwIfAborted();
      if (tracked.objects.refusal) throw tracked.objects.refusal;
      if (job?.objects.refusal) throw job.objects.refusal;
      if (tracked.objects.isListed) {
        const pods = [...tracked.objects.all()].filter((pod) => target.isOf(pod));
        look(pods);
        const [first, ...others] = [...followed.values()].map(({ refusal }) => refusal);
        if (first !== undefined && !others.includes(undefined)) throw first;
        if (await isOver(pods)) return count;
        isFirst = false;
      }
      await changed.next();
    }
  } finally {
    signal.removeEventListener('abort', changed.give);
    output.stop();
    for (const { reading: rest } of followed.values()) await rest;
    await Promise.all([tracked.release(), job?.release()]);
  }
}

function isSameState({ metadata: one }: KubeObject, { metadata: other }: KubeObject): boolean {
  return one.uid === other.uid && one.resourceVersion === other.resourceVersion;
}

interface LogOutput {
  /** Aborts when nothing can be written any more. */
  readonly signal: AbortSignal;
  /** Why the stream broke off, if it did. */
  readonly failure: Error | undefined;
  readonly problems: readonly string[];
  /** Resolves when the next part may be written. */
  write(cursor: LogCursor, bytes: Uint8Array): Promise<void>;
  /** Writes what cannot be read, or not yet. Only the first is a problem of the command. */
  notice(text: string, kind?: 'missing' | 'late'): Promise<void>;
  /** Ends readers, but not the stream. */
  stop(): void;
  /** Ends the stream. Resolves when everything has arrived. */
  end(): Promise<void>;
}

/** Returns what writes records into a stream, one at a time. */
function logOutput(stream: Duplex, outer: AbortSignal): LogOutput {
  const stopped = new AbortController();
  const signal = AbortSignal.any([outer, stopped.signal]);
  const turn = new Semaphore(1);
  const problems: string[] = [];
  let failure: Error | undefined;
  stream.on('error', (error) => {
    failure ??= error;
    stopped.abort(error);
  });
  stream.on('close', () => stopped.abort(failure));
  outer.addEventListener('abort', () => stream.destroy(), { once: true });
  stream.resume(); // readers send nothing
  const write = (record: Buffer) =>
    turn.run(async () => {
      if (!stream.write(record)) await once(stream, 'drain', { signal });
    }, signal);
  return {
    signal,
    get failure() {
      return failure;
    },
    problems,
    write: (cursor, bytes) => write(encodeLogRecord({ cursor }, bytes)),
    async notice(text, kind = 'missing') {
      if (kind === 'missing' && problems.length < maxProblems) problems.push(text.slice(0, 4096));
      await write(encodeLogRecord({ notice: text.slice(0, 4096) }));
    },
    stop: () => stopped.abort(),
    async end() {
      if (stream.destroyed) throw failure ?? new OperationError('stream_lost', 'the reader has gone');
      const closed = once(stream, 'close');
      stream.end();
      await closed;
    },
  };
}

export const operation = operationOf('pod_logs', {
  request: (payload) => payload,
  run: podLogs,
  answer: (answer) => answer,
});
