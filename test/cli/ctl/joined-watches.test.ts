import test, { type ExecutionContext } from 'ava';
import type { Event } from '../../../src/cli/ctl/api-client.ts';
import { ApiError } from '../../../src/cli/ctl/api-request.ts';
import { follow } from '../../../src/cli/ctl/follow.ts';
import { testProgram } from '../support/program.ts';

const afterMs = 900_000;
const startedAt = '2026-01-01T10:00:00.000Z';
const at = (milliseconds: number) => new Date(Date.parse(startedAt) + milliseconds).toISOString();

const running = (lists: object, time?: string): Event => status('running', lists, time);
const accepted: Event = { id: 0, type: 'accepted', payload: { durable: false } };
const result: Event = { id: 0, type: 'result', payload: { ok: true, reported: 1 } };

function status(state: 'running' | 'done', lists: object, time = startedAt): Event {
  return { id: 0, type: 'status', payload: { seq: 1, step: 'watch', state, time, ...lists } };
}

const pod = (name: string, change: string, phase = 'Running') => ({
  ...{ change, status: 'Current' },
  object: { apiVersion: 'v1', kind: 'Pod', metadata: { name }, status: { phase } },
});
const objects = (...changes: object[]) => running({ objects: changes });

/** Follows watches, each of which has some events, and ends by its time limit except the last. */
async function followed(t: ExecutionContext, watches: readonly (readonly Event[])[], { json = false } = {}) {
  const { stdout, stderr } = testProgram();
  let now = 0;
  const keys: string[] = [];
  const client = {
    async *events(key: string): AsyncGenerator<Event> {
      await Promise.resolve();
      const { length } = keys;
      keys.push(key);
      const after = length < watches.length - 1 ? afterMs : 0;
      now += after;
      let seq = 0;
      const done = status('done', {}, at(after));
      const events = [accepted, ...(watches[length] ?? []), done, result];
      for (const [index, event] of events.entries()) {
        const id = index + 1;
        yield event.type === 'status' ? { ...event, id, payload: { ...event.payload, seq: ++seq } } : { ...event, id };
      }
    },
  };
  const code = await follow(client, 'k1', {
    ...{ stdout, stderr, json, onInterrupt: () => () => undefined, again: () => '' },
    cancel: () => Promise.resolve(),
    text: () => 'the end\n',
    renewal: { afterMs, refusedMs: 1, now: () => now, send: () => Promise.resolve(`k${keys.length + 1}`) },
  });
  t.is(code, 0);
  t.deepEqual(
    keys,
    watches.map((_, index) => `k${index + 1}`),
  );
  return { lines: stdout.text.trimEnd().split('\n'), notes: stderr.text };
}

test('a watch that ends by its time limit is continued, and shows only what is new', async (t) => {
  const { lines, notes } = await followed(t, [
    [objects(pod('a', 'present'), pod('b', 'present'), pod('c', 'present'))],
    [objects(pod('a', 'present'), pod('b', 'present', 'Failed')), objects(pod('d', 'added'))],
    [objects(pod('a', 'present'), pod('b', 'present', 'Failed'), pod('d', 'present'), pod('e', 'present'))],
    [objects(pod('a', 'present'), pod('b', 'present', 'Failed'), pod('d', 'present'), pod('e', 'present'))],
  ]);
  const end = ['10:00:00  watch         done', 'the end'];
  t.deepEqual(lines, [
    '= a Current',
    '= b Current',
    '= c Current',
    '~ b Current',
    '- c deleted',
    '+ d Current',
    '+ e Current',
    ...end,
  ]);
  t.is(notes, 'accepted\n');
});

test('a change of an object is shown again and again', async (t) => {
  const changes = [objects(pod('a', 'present')), objects(pod('a', 'changed')), objects(pod('a', 'deleted'))];
  const { lines } = await followed(t, [changes, changes]);
  const shown = ['~ a Current', '- a deleted'];
  t.deepEqual(lines.slice(0, -2), ['= a Current', ...shown, '+ a Current', ...shown]);
});

test('drift and resources are shown again only if they differ', async (t) => {
  const drift = (found: number, at: string) => ({
    ...{ change: 'changed', apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' },
    fields: [{ path: 'spec.replicas', wanted: 2, found, manager: 'kubectl', time: at }],
  });
  const resource = (name: string, since: string) => ({ apiVersion: 'v1', kind: 'Pod', name, status: 'Current', since });
  const { lines } = await followed(
    t,
    [
      [running({ resources: [resource('a', 'before')] }), running({ drift: [drift(5, 'before')] })],
      [running({ resources: [resource('a', 'later')] }), running({ drift: [drift(5, 'later')] })],
      [running({ resources: [resource('a', 'later'), resource('b', 'later')], drift: [drift(6, 'later')] })],
    ],
    { json: true },
  );
  const events = lines.map(
    (line) => JSON.parse(line) as { id: number; type: string; payload: Record<string, unknown> },
  );
  t.deepEqual(
    events.map(({ type, payload: { seq, resources, drift: drifted } }) => [type, seq, resources, drifted]),
    [
      ['accepted', undefined, undefined, undefined],
      ['status', 1, [resource('a', 'before')], undefined],
      ['status', 2, undefined, [drift(5, 'before')]],
      ['status', 3, [resource('b', 'later')], [drift(6, 'later')]],
      ['status', 4, undefined, undefined],
      ['result', undefined, undefined, undefined],
    ],
  );
  const ids = events.map(({ id }) => id);
  t.deepEqual(
    ids,
    [...new Set(ids)].sort((a, b) => a - b),
    'ids grow',
  );
});

test('drift that has gone away between two watches is shown when it comes back', async (t) => {
  const named = (name: string) => ({ change: 'deleted', apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name });
  const [lost, kept] = [named('lost'), named('kept')];
  const { lines } = await followed(
    t,
    [
      [running({ drift: [lost] }), running({ drift: [kept] })],
      [running({}), running({ drift: [kept] }, at(30_000)), running({ drift: [lost] }, at(600_000))],
      [running({}), running({ drift: [lost] }, at(30_000)), running({ drift: [kept] }, at(30_000))],
      [running({ drift: [lost] })],
      [running({ drift: [kept] }), running({ drift: [lost] })],
    ],
    { json: true },
  );
  const shown = lines.map((line) => (JSON.parse(line) as { payload: { drift?: object[] } }).payload.drift ?? []);
  t.deepEqual(shown.flat(), [lost, kept, lost, kept]);
});

test('an object that is put back again and again is shown each time', async (t) => {
  const drift = { change: 'changed', apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'a' };
  const [corrected, waits] = [
    { ...drift, corrected: true },
    { ...drift, reason: 'it was put back once' },
  ];
  const { lines } = await followed(
    t,
    [
      [running({ drift: [corrected] }), running({ drift: [corrected] }), running({ drift: [waits] })],
      [running({ drift: [waits] }), running({ drift: [corrected] })],
      [running({ drift: [corrected] })],
    ],
    { json: true },
  );
  const shown = lines.map((line) => (JSON.parse(line) as { payload: { drift?: object[] } }).payload.drift ?? []);
  t.deepEqual(shown.flat(), [corrected, corrected, waits, corrected, corrected]);
});

/** Follows watches that end with some results, each after a time in milliseconds. */
async function ended(
  results: readonly { result: Event; after: number; ran?: number; isInterrupted?: boolean }[],
  { refusedMs = 1, attempts = [] as readonly Error[], isInterrupted: isLost = false, retryMs = 1 } = {},
) {
  const { stdout, stderr } = testProgram();
  const interrupts: (() => void)[] = [];
  let now = 0;
  let count = 0;
  const sent: string[] = [];
  const client = {
    async *events(): AsyncGenerator<Event> {
      await Promise.resolve();
      const { result: last = result, after = 0, ran = after, isInterrupted = false } = results[count++] ?? {};
      now += after;
      if (isInterrupted) setImmediate(() => interrupts[0]?.());
      yield { ...status('running', {}, at(after - ran)), id: 1 };
      yield { ...status('done', {}, at(after)), id: 2 };
      yield { ...last, id: 3 };
    },
  };
  const code = await follow(client, 'k1', {
    ...{ stdout, stderr, retryMs, again: () => '', text: () => 'the end\n' },
    onInterrupt(listener) {
      interrupts.push(listener);
      return () => undefined;
    },
    cancel: () => Promise.resolve(),
    renewal: {
      ...{ afterMs, refusedMs, now: () => now },
      send(_signal, key) {
        const failure = attempts[sent.push(key) - 1];
        if (isLost) setImmediate(() => interrupts[0]?.());
        return failure === undefined ? Promise.resolve(key) : Promise.reject(failure);
      },
    },
  });
  return { code, count, stderr: stderr.text, sent };
}

const failed = (code: 'timeout' | 'denied_by_policy' | 'forbidden' | 'busy', message: string): Event => ({
  ...{ id: 0, type: 'result' },
  payload: { ok: false, error: { code, message } },
});

test('a watch that has waited for its turn until its time limit is continued', async (t) => {
  const waited = { result: failed('timeout', 'timed out after 15m0s'), after: afterMs };
  t.like(await ended([waited, waited, { result, after: 0 }]), { code: 0, count: 3 });
  t.like(await ended([{ ...waited, after: 1000 }]), { code: 1, count: 1 });
});

test('a watch whose continuation the policy refuses says so once, and continues when the policy allows it', async (t) => {
  const refused = { result: failed('denied_by_policy', 'outside of the windows'), after: 0 };
  const first = { result, after: afterMs };
  t.like(await ended([first, refused, refused, { result, after: 0 }]), {
    code: 0,
    count: 4,
    stderr: 'outside of the windows; the watch continues when the policy allows it\n',
  });
  t.like(await ended([refused]), { code: 1, count: 1 }, 'one that has not begun fails');
  t.like(await ended([first, { result: failed('forbidden', 'x'), after: 0 }]), { code: 1, count: 2 });
  const interrupted = [first, { ...refused, isInterrupted: true }];
  t.like(await ended(interrupted, { refusedMs: 3_600_000 }), { code: 1, count: 2 }, 'an interrupt ends the pause');
});

test('a watch that an agent with too many commands does not continue is continued when there is room', async (t) => {
  const first = { result, after: afterMs };
  const busy = { result: failed('busy', '8 commands are running; try again later'), after: 0 };
  t.like(await ended([first, busy, busy, { result, after: 0 }]), {
    code: 0,
    count: 4,
    stderr: '8 commands are running; try again later; the watch continues when there is room for it\n',
  });
  t.like(await ended([busy]), { code: 1, count: 1 }, 'one that has not begun fails');
});

test('a watch is continued with one key after a lost connection', async (t) => {
  const lost = new ApiError('cannot reach the control plane', true);
  const watches = [
    { result, after: afterMs },
    { result, after: 0 },
  ];
  const { sent, ...rest } = await ended(watches, { attempts: Array.from({ length: 30 }, () => lost) });
  t.like(rest, { code: 0, count: 2 });
  t.regex(rest.stderr, /^the connection is lost; .*\nconnected again\n$/);
  t.deepEqual([sent.length, new Set(sent).size], [31, 1]);
  const tooLong = ended(watches, { attempts: Array.from({ length: 31 }, () => lost) });
  await t.throwsAsync(tooLong, { is: lost });
  const final = new ApiError('no agent is connected', false, 404);
  await t.throwsAsync(ended(watches, { attempts: [final] }), { is: final });
  const interrupted = await ended(watches, { attempts: [lost], isInterrupted: true, retryMs: 3_600_000 });
  t.like(interrupted, { code: 0, count: 1 }, 'an interrupt ends the pause');
});

test('a watch that ends before its time limit is not continued, because someone has cancelled it', async (t) => {
  const { lines } = await followed(t, [[objects(pod('a', 'present'))]]);
  t.is(lines.at(-1), 'the end');
});

test('a watch that was cancelled shortly before its time limit is not continued, and one that began late is', async (t) => {
  const last = { result, after: 0 };
  for (const ran of [840_000, 890_000]) {
    t.like(await ended([{ result, after: afterMs, ran }, last]), { code: 0, count: 1 }, String(ran));
  }
  t.like(await ended([{ result, after: 0, ran: afterMs }, last]), { code: 0, count: 2 }, 'the events came late');
  t.like(await ended([{ result, after: afterMs + 300_000, ran: afterMs }, last]), { code: 0, count: 2 });
});

for (const [how, title, watches] of [
  ['resumed', 'a watch that another process of the agent has begun again has its time from then on', 1],
  ['repeated', 'a watch whose agent was away for a moment has its time from its beginning on', 2],
] as const) {
  test(title, async (t) => {
    const { stdout, stderr } = testProgram();
    let count = 0;
    const client = {
      async *events(): AsyncGenerator<Event> {
        await Promise.resolve();
        count += 1;
        yield { ...accepted, id: 1 };
        yield { ...status('running', {}, at(0)), id: 2 };
        if (count === 1) yield { id: 3, type: 'accepted', payload: { durable: true, [how]: true } };
        yield { ...status('running', {}, at(600_000)), id: 4 };
        yield { ...status('done', {}, at(count === 1 ? afterMs : 700_000)), id: 5 };
        yield { ...result, id: 6 };
      },
    };
    const code = await follow(client, 'k1', {
      ...{ stdout, stderr, again: () => '', text: () => 'the end\n', onInterrupt: () => () => undefined },
      cancel: () => Promise.resolve(),
      renewal: {
        afterMs,
        refusedMs: 1,
        now: () => Math.min(count, 1) * afterMs,
        send: (_signal, key) => Promise.resolve(key),
      },
    });
    t.deepEqual([code, count], [0, watches]);
  });
}

test('an interrupt while a watch is sent again ends the new watch', async (t) => {
  const { stdout, stderr } = testProgram();
  const interrupts: (() => void)[] = [];
  const cancelled: string[] = [];
  let now = 0;
  const client = {
    async *events(key: string): AsyncGenerator<Event> {
      await Promise.resolve();
      now += afterMs;
      if (key === 'k2') t.deepEqual(cancelled, ['k1', 'k2']);
      if (key === 'k1') {
        yield { ...status('running', {}, at(0)), id: 1 };
        yield { ...status('done', {}, at(afterMs)), id: 2 };
      }
      yield { ...result, id: 3 };
    },
  };
  const code = await follow(client, 'k1', {
    ...{ stdout, stderr, again: () => '', text: () => 'the end\n' },
    onInterrupt(listener) {
      interrupts.push(listener);
      return () => undefined;
    },
    cancel: (key) => Promise.resolve(void cancelled.push(key)),
    renewal: {
      ...{ afterMs, refusedMs: 1, now: () => now },
      send() {
        for (const interrupt of interrupts) interrupt();
        return Promise.resolve('k2');
      },
    },
  });
  t.is(code, 0);
  t.is(stdout.text, 'the end\n');
});
