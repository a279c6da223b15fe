import test from 'ava';
import type { Event } from '../../src/cli/ctl/api-client.ts';
import { follow } from '../../src/cli/ctl/follow.ts';
import { liveLines } from '../../src/cli/ctl/live-view.ts';
import { plainLines } from '../../src/cli/ctl/plain-view.ts';
import { advance, newProgress } from '../../src/cli/ctl/progress.ts';
import { readServerSentEvents } from '../../src/cli/ctl/server-sent-events.ts';
import { ApiError } from '../../src/cli/ctl/api-client.ts';
import { testProgram } from './support/program.ts';

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

test('the table says that the agent has not answered, or is away', (t) => {
  t.deepEqual(liveAfter([]), ['waiting for the agent']);
  t.deepEqual(liveAfter([accepted]), []);
  const away: Event = { id: 2, type: 'agent', payload: { connected: false } };
  t.deepEqual(liveAfter([accepted, away]), ['the agent is not connected; waiting for it']);
  t.deepEqual(plainLines(away), ['the agent is not connected; waiting for it']);
});

test('the table names what is not ready first, with its newest reason', (t) => {
  const lines = liveAfter([
    accepted,
    status(1, { resources: [pod('a', 'Current'), pod('b', 'InProgress', 'ContainerCreating')] }),
    status(2, { resources: [pod('b', 'Failed', 'CrashLoopBackOff:\nexit 1')] }),
  ]);
  t.deepEqual(lines, ['● wait', '    Pod/b  Failed   CrashLoopBackOff: exit 1', '    Pod/a  Current']);
});

test('the table fits its terminal, and counts what it has no room for', (t) => {
  const resources = Array.from({ length: 20 }, (_, index) => pod(`p${index}`, 'InProgress', 'x'.repeat(200)));
  const lines = liveAfter([accepted, status(1, { resources })], 40);
  t.true(lines.every((line) => line.length <= 40));
  t.is(lines.at(-1), '    and 12 more');
});

test('the table says how many status packets are missing', (t) => {
  t.is(liveAfter([accepted, status(4, {})])[0], '3 status packets were lost on the way');
});

test('a step that runs again stands there again', (t) => {
  const lines = liveAfter([accepted, status(1, {}), status(2, { state: 'failed' }), status(3, { step: 'rollback' })]);
  t.deepEqual(lines, ['✗ wait        0.0s', '● rollback']);
});

async function* chunks(...texts: string[]) {
  for (const text of texts) yield await Promise.resolve(new TextEncoder().encode(text));
}

test('an event stream is read wherever it is cut', async (t) => {
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

test('a stream that breaks off is taken up after the last event that was heard', async (t) => {
  const { stdout, stderr } = testProgram();
  const asked: number[] = [];
  const client = {
    agents: () => Promise.reject(new Error('not asked')),
    send: () => Promise.reject(new Error('not asked')),
    async *events(_key: string, afterId: number): AsyncGenerator<Event> {
      asked.push(afterId);
      await Promise.resolve();
      if (asked.length === 1) yield accepted;
      else if (asked.length === 2) throw new ApiError('away', true);
      else yield { id: 2, type: 'result', payload: { ok: true } };
    },
  };
  t.is(await follow(client, 'k', { stdout, stderr, onInterrupt: () => () => undefined }, 1), 0);
  t.deepEqual(asked, [0, 1, 1]);
});
