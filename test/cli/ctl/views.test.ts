import test from 'ava';
import type { Event } from '../../../src/cli/ctl/api-client.ts';
import { ApiError } from '../../../src/cli/ctl/api-request.ts';
import { evidenceLines } from '../../../src/cli/ctl/evidence-text.ts';
import { follow } from '../../../src/cli/ctl/follow.ts';
import { liveLines } from '../../../src/cli/ctl/live-view.ts';
import { createPlainView } from '../../../src/cli/ctl/plain-view.ts';
import { successText } from '../../../src/cli/ctl/result-text.ts';
import { createScreen } from '../../../src/cli/ctl/screen.ts';
import { readServerSentEvents } from '../../../src/cli/ctl/server-sent-events.ts';
import { advance, newProgress } from '../../../src/protocol/progress.ts';
import { eventually } from '../../support/eventually.ts';
import { recordingTerminal, testProgram } from '../support/program.ts';

const pod = (name: string, status: string, reason?: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  name,
  status,
  ...(reason !== undefined && { reason }),
});

function status(seq: number, rest: object): Event {
  return {
    id: seq,
    type: 'status',
    payload: { seq, step: 'wait', state: 'running', time: '2026-01-01T10:00:00.000Z', ...rest },
  };
}

function liveAfter(events: Event[], columns = 80): string[] {
  const progress = newProgress();
  for (const event of events) advance(progress, event);
  return liveLines(progress, columns);
}

const accepted: Event = { id: 1, type: 'accepted', payload: { durable: false } };

test('the table shows that the agent has not responded or is not connected', (t) => {
  t.deepEqual(liveAfter([]), ['waiting for the agent']);
  t.deepEqual(liveAfter([accepted]), []);
  const away: Event = { id: 2, type: 'agent', payload: { connected: false } };
  t.deepEqual(liveAfter([accepted, away]), ['the agent is not connected; waiting for it']);
  t.deepEqual(createPlainView().linesOf(away), ['the agent is not connected; waiting for it']);
});

test('the table lists resources that are not ready first, with their newest reason', (t) => {
  const lines = liveAfter([
    accepted,
    status(1, { resources: [pod('a', 'Current'), pod('b', 'InProgress', 'ContainerCreating')] }),
    status(2, { resources: [pod('b', 'Failed', 'CrashLoopBackOff:\nexit 1')] }),
  ]);
  t.deepEqual(lines, ['● wait', '    Pod/b  Failed   CrashLoopBackOff: exit 1', '    Pod/a  Current']);
});

test('a table and lines say how far workloads are', (t) => {
  const web = { ...pod('web', 'InProgress', 'Available: 2/3'), counts: { wanted: 5, updated: 3, ready: 2 } };
  const load = { ...pod('load', 'Current'), counts: { wanted: 1, ready: 1 } };
  const event = status(1, { resources: [web, load] });
  t.deepEqual(liveAfter([accepted, event]).slice(1), [
    '    Pod/web   InProgress  3/5 updated, 2 ready; Available: 2/3',
    '    Pod/load  Current     1/1 ready',
  ]);
  t.deepEqual(
    createPlainView()
      .linesOf(event)
      .map((line) => line.slice(26)),
    ['Pod/load Current: 1/1 ready'],
  );
});

test('the table says how long resources have not changed, and when the operation may end', (t) => {
  const web = { ...pod('web', 'InProgress', 'Available: 2/3'), since: '2026-01-01T09:59:15.000Z' };
  const load = { ...pod('load', 'Current'), since: '2026-01-01T09:00:00.000Z' };
  const progress = newProgress();
  const estimate = '2026-01-01T10:01:30.000Z';
  for (const event of [accepted, status(1, { estimate }), status(2, { resources: [web, load] })]) {
    advance(progress, event);
  }
  t.deepEqual(liveLines(progress, 80, 15_000), [
    '● wait          about 75s left, as for the revision before',
    '    Pod/web   InProgress 60s  Available: 2/3',
    '    Pod/load  Current',
  ]);
  t.is(liveLines(progress, 80, 100_000)[0], '● wait');
});

test('the table fits its terminal, and counts the resources it leaves out', (t) => {
  const resources = Array.from({ length: 20 }, (_, index) => pod(`p${index}`, 'InProgress', 'x'.repeat(200)));
  const lines = liveAfter([accepted, status(1, { resources })], 40);
  t.true(lines.every((line) => line.length <= 40));
  t.is(lines.at(-1), '    and 12 more');
});

test('the table shows the number of lost status packets', (t) => {
  t.is(liveAfter([accepted, status(4, {})])[0], '3 status packets were lost');
});

test('the table lists a step again when it runs again', (t) => {
  const lines = liveAfter([accepted, status(1, {}), status(2, { state: 'failed' }), status(3, { step: 'rollback' })]);
  t.deepEqual(lines, ['✗ wait        0.0s', '● rollback']);
});

test('lines that repeat what is shown are left out', (t) => {
  const { linesOf, quietLines } = createPlainView();
  const rollback = (seq: number, rest: object) => linesOf(status(seq, { step: 'rollback', message: 'wait', ...rest }));
  const job = (reason: string) => ({ resources: [pod('a', 'Current'), pod('b', 'InProgress', reason)] });
  const lines = [
    rollback(1, {}),
    rollback(2, {}),
    rollback(3, job('Pending')),
    rollback(4, job('Pending')),
    rollback(5, job('ContainerCreating')),
    quietLines(),
    quietLines(),
    rollback(6, { message: 'wait: 2 resources ready' }),
    rollback(7, { state: 'failed', message: 'the reason, which the result repeats' }),
    quietLines(),
  ];
  t.deepEqual(lines, [
    [],
    [],
    ['10:00:00  rollback        Pod/a Current'],
    [],
    [],
    ['10:00:00  rollback      running  wait', '10:00:00  rollback        Pod/b InProgress: ContainerCreating'],
    [],
    ['10:00:00  rollback      running  wait: 2 resources ready'],
    ['10:00:00  rollback      failed'],
    [],
  ]);
});

test('lines show what runs only if nothing happens for a second', (t) => {
  const { linesOf, quietLines } = createPlainView();
  t.deepEqual([quietLines(), quietLines(), linesOf(accepted)], [['waiting for the agent'], [], ['accepted']]);
  t.deepEqual(quietLines(), [
    'no step has begun; the agent waits for its cluster, or for another command of the release',
  ]);
  t.deepEqual(quietLines(), []);
  const steps = [
    linesOf(status(1, { step: 'load' })),
    linesOf(status(2, { step: 'load', state: 'done', message: 'web 1.0.0' })),
    linesOf(status(3, { step: 'crds' })),
    linesOf(status(4, { step: 'crds', state: 'skipped' })),
    linesOf(status(5, { step: 'wait', resources: [pod('a', 'InProgress')] })),
    linesOf(status(6, { step: 'wait', resources: [pod('a', 'Current')] })),
    linesOf(status(7, { step: 'post-hooks' })),
    quietLines(),
  ];
  t.deepEqual(steps.flat(), [
    '10:00:00  load          done  web 1.0.0',
    '10:00:00  wait            Pod/a Current',
    '10:00:00  post-hooks    running',
  ]);
});

test('evidence does not repeat the reason of a resource', (t) => {
  const reason = 'Failed to pull image "x:1": x:1: not found';
  const resource = { ...pod('web-1', 'InProgress', `Failed: ${reason} (pod web-1)`) };
  const event = (message: string) => ({
    type: 'Warning',
    reason: 'Failed',
    message,
    object: 'Pod/web-1',
    count: 1,
  });
  const container = { name: 'app', image: 'x:1', state: `waiting: ErrImagePull: ${reason}`, restarts: 0 };
  const payload = {
    ...{ seq: 1, step: 'wait', time: '2026-01-01T10:00:00.000Z', truncated: false },
    resources: [
      {
        ...resource,
        conditions: [],
        events: [event(reason), event('Error: ErrImagePull')],
        pods: [{ name: 'web-1', phase: 'Pending', containers: [container] }],
      },
    ],
  };
  t.deepEqual(evidenceLines(payload), [
    `Pod/web-1 InProgress: Failed: ${reason} (pod web-1)`,
    '  Pod/web-1: Failed: Error: ErrImagePull',
    '  container app of pod web-1: waiting: ErrImagePull',
  ]);
});

async function* chunks(...texts: string[]) {
  for (const text of texts) yield await Promise.resolve(new TextEncoder().encode(text));
}

test('an event stream is read correctly wherever its chunks end', async (t) => {
  const events = [];
  const text = [
    ': comment\n\nid: 1\neve',
    'nt: status\ndata: {"a":\ndata: 1}\n',
    '\nid: 2\r\nevent: result\r\ndata: é\r\n\r\nid: 3',
  ];
  for await (const event of readServerSentEvents(chunks(...text))) events.push(event);
  t.deepEqual(events, [
    { id: '1', event: 'status', data: '{"a":\n1}' },
    { id: '2', event: 'result', data: 'é' },
  ]);
});

test('a stream that breaks off is resumed after its last event', async (t) => {
  const { stdout, stderr } = testProgram();
  const asked: number[] = [];
  const client = {
    agents: () => Promise.reject(new Error('not asked')),
    forgetAgent: () => Promise.reject(new Error('not asked')),
    send: () => Promise.reject(new Error('not asked')),
    uploadChart: () => Promise.reject(new Error('not asked')),
    async *events(_key: string, afterId: number): AsyncGenerator<Event> {
      asked.push(afterId);
      await Promise.resolve();
      if (asked.length === 1) yield accepted;
      else if (asked.length === 2) throw new ApiError('away', true);
      else yield { id: 2, type: 'result', payload: { ok: true } };
    },
  };
  const options = { stdout, stderr, onInterrupt: () => () => undefined, again: () => '', retryMs: 1 };
  t.is(await follow(client, 'k', options), 0);
  t.deepEqual(asked, [0, 1, 1]);
});

test('a release in an unknown form is an error in plain words', (t) => {
  const message = 'the command succeeded, but the agent sent a release in an unknown form; update helm-agent';
  t.throws(() => successText({ ok: true, release: { name: 'web', info: 'deployed' } }), { message });
});

test('plain lines show the evidence of a failed wait', (t) => {
  const container = { name: 'app', image: 'app:1', state: 'waiting: CrashLoopBackOff', restarts: 2 };
  const event = (type: string, reason: string, count: number) => ({
    ...{ type, reason, count, message: 'restarting\u001b[2J', object: 'Pod/web-1' },
  });
  const evidence: Event = {
    id: 1,
    type: 'evidence',
    payload: {
      ...{ seq: 1, step: 'wait', time: '2026-01-01T10:00:00.000Z' },
      resources: [
        {
          ...pod('web-1', 'InProgress', 'CrashLoopBackOff'),
          conditions: [],
          events: [event('Normal', 'Started', 1), event('Warning', 'BackOff', 3)],
          pods: [
            {
              name: 'web-1',
              phase: 'Running',
              containers: [container, { ...container, name: 'side', log: 'one\ntwo\n' }],
            },
          ],
        },
      ],
    },
  };
  t.deepEqual(createPlainView().linesOf(evidence), [
    'Pod/web-1 InProgress: CrashLoopBackOff',
    '  Pod/web-1: BackOff: restarting\uFFFD[2J (3 times)',
    '  container app of pod web-1: waiting: CrashLoopBackOff',
    '  container side of pod web-1: waiting: CrashLoopBackOff',
    '    | one',
    '    | two',
  ]);
});

test('plain lines show logs, what was left out of them, and that packets were lost', (t) => {
  const { linesOf } = createPlainView();
  const resource = { apiVersion: 'batch/v1', kind: 'Job', namespace: 'shop', name: 'migrate' };
  const log = (seq: number, rest: object): Event => ({
    id: seq,
    type: 'log',
    payload: {
      ...{ seq, step: 'pre-hooks', time: '2026-01-01T10:00:00.000Z', resource },
      ...{ pod: 'migrate-1', container: 'app', lines: [], ...rest },
    },
  });
  t.deepEqual(linesOf(log(1, { event: 'pre-install', lines: ['one', '\u001b[2J two'] })), [
    'hook/migrate app | one',
    'hook/migrate app | \uFFFD[2J two',
  ]);
  t.deepEqual(linesOf(log(3, { lines: ['four'], omitted: { lines: 5, bytes: 70 }, isFull: true })), [
    'lines of logs were lost, because the connection is slow',
    'job/migrate app | four',
    'job/migrate app | … 5 lines (70 bytes) are left out',
    'no more lines of logs follow, because there were too many',
  ]);
});

test('a terminal shows after a second that the agent has not responded', async (t) => {
  const terminal = recordingTerminal(true);
  const screen = createScreen(terminal);
  t.teardown(() => screen.close());
  t.is(terminal.text, '');
  await eventually('the line is shown', () => terminal.text === 'waiting for the agent\n');
  screen.show(accepted);
  t.is(terminal.text, 'waiting for the agent\n\u001b[1A\u001b[J');
});

test('a terminal shows logs above the table', (t) => {
  const terminal = recordingTerminal(true);
  const screen = createScreen(terminal);
  t.teardown(() => screen.close());
  screen.show(accepted);
  screen.show(status(1, { step: 'pre-hooks' }));
  const resource = { apiVersion: 'batch/v1', kind: 'Job', name: 'load' };
  const lines = { pod: 'load-1', container: 'app', lines: ['one'] };
  const payload = { seq: 1, step: 'wait', time: '2026-01-01T10:00:00.000Z', resource, ...lines };
  screen.show({ id: 2, type: 'log', payload });
  t.true(terminal.text.endsWith('\u001b[1A\u001b[Jjob/load app | one\n● pre-hooks\n'));
});
