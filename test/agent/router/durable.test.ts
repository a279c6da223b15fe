import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { Router, type RouterOptions } from '../../../src/agent/router/router.ts';
import type { Journal } from '../../../src/journal/journal.ts';
import { JournalError } from '../../../src/journal/journal-error.ts';
import { createMemoryJournal } from '../../../src/journal/memory.ts';
import type { OperationState } from '../../../src/operation/state/operation-state.ts';
import { noTracing, type Tracing } from '../../../src/tracing/tracing.ts';
import { PuppetHandlers } from '../support/handlers.ts';
import { recordingLog } from '../support/log.ts';
import { RecordingPeer } from '../support/peer.ts';

/** Returns a journal that survives the processes of a test. */
function durableJournal(overrides: Partial<Journal> = {}): Journal {
  return { ...createMemoryJournal(), durable: true, ...overrides };
}

/** Returns the router of a process with the journal, and a peer that is connected to it. */
function processWith(journal: Journal, options: Partial<RouterOptions> = {}) {
  const puppets = new PuppetHandlers();
  const { log, lines } = recordingLog();
  const router = new Router({
    handlers: puppets.handlers,
    journal,
    log,
    instanceId: 'instance-1',
    now: () => new Date(0),
    ...options,
  });
  const peer = new RecordingPeer();
  const send = (type: string, payload: object, key?: string, to = peer) =>
    router.receive(Buffer.from(JSON.stringify({ key, type, payload: JSON.stringify(payload) })), false, to);
  const install = (key: string, releaseName = 'web') => send('install_release', { releaseName, chartName: 'c' }, key);
  return { router, puppets, peer, lines, send, install };
}

const state = { format: 1, id: 'k', verb: 'install', step: 'wait' } as OperationState; // routers do not look into it

test('a command that the next process continues stays in its trace', async (t) => {
  const journal = durableJournal();
  const parents: (string | undefined)[] = [];
  const tracing: Tracing = {
    ...noTracing,
    begin(command) {
      parents.push(command.parent);
      return noTracing.begin(command);
    },
  };
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const first = processWith(journal, { tracing });
  const packet = { key: 'k', type: 'install_release', payload: '{"releaseName":"web","chartName":"c"}', traceparent };
  first.router.receive(Buffer.from(JSON.stringify(packet)), false, first.peer);
  const call = await first.puppets.call(0);
  call.context.abandon.addEventListener('abort', () => call.fail(call.context.abandon.reason));
  await first.router.close(60_000);
  const second = processWith(journal, { tracing });
  await second.router.resume();
  (await second.puppets.call(0)).succeed();
  t.deepEqual(parents, [traceparent, traceparent]);
});

test('stopping parks a durable command, and the next process continues it with the last state', async (t) => {
  const journal = durableJournal();
  const first = processWith(journal);
  first.install('k');
  const call = await first.puppets.call(0);
  await call.context.checkpoints.save({ ...state, step: 'record' }, true);
  await call.context.checkpoints.save(state, true);
  await call.context.checkpoints.save({ ...state, step: 'post-hooks' }, false);
  call.context.abandon.addEventListener('abort', () => call.fail(call.context.abandon.reason));
  await first.router.close(60_000);
  t.false(call.context.signal.aborted, 'a cancel would undo the installation');
  t.deepEqual(first.peer.kinds('k'), ['accepted']);

  const second = processWith(journal);
  await second.router.resume();
  const resumed = await second.puppets.call(0);
  t.like(resumed, { type: 'install_release', payload: { releaseName: 'web' }, context: { id: 'k', state } });
  second.send('unfinished', { keys: ['k'] });
  resumed.report('ready');
  resumed.succeed();
  t.true((await second.peer.result('k')).ok);
  t.deepEqual(
    second.peer.replies.map(({ kind, payload }) => [kind, payload['resumed'] ?? payload['seq'] ?? payload.ok]),
    [
      ['accepted', true],
      ['status', 1],
      ['result', true],
    ],
  );
  t.deepEqual(await journal.takeOver(), []);
});

test('a parked command that is sent again while the agent stops is accepted, and others are refused', async (t) => {
  const { router, puppets, peer, install } = processWith(durableJournal());
  install('k');
  const call = await puppets.call(0);
  call.context.abandon.addEventListener('abort', () => call.fail(call.context.abandon.reason));
  await router.close(60_000);
  install('k');
  install('other', 'api');
  t.deepEqual(peer.kinds('k'), ['accepted', 'accepted'], 'the next process sends the result');
  t.is((await peer.result('other')).error?.code, 'shutting_down');
});

test('commands that wait are parked too, and continue in their order', async (t) => {
  const journal = durableJournal();
  const first = processWith(journal);
  for (const key of ['a', 'b', 'c']) first.install(key);
  const call = await first.puppets.call(0);
  call.context.abandon.addEventListener('abort', () => call.fail(call.context.abandon.reason));
  await first.router.close(60_000);
  t.deepEqual(
    first.peer.replies.map(({ kind }) => kind).filter((kind) => kind !== 'status'),
    ['accepted', 'accepted', 'accepted'],
  );
  const second = processWith(journal);
  await second.router.resume();
  for (const [index, key] of ['a', 'b', 'c'].entries()) {
    const next = await second.puppets.call(index);
    t.is(next.context.id, key);
    next.succeed();
  }
});

test('a command whose operation ends while the agent stops has a result', async (t) => {
  const { router, puppets, peer, install } = processWith(durableJournal());
  install('k');
  const call = await puppets.call(0);
  call.context.abandon.addEventListener('abort', () => call.succeed());
  await router.close(60_000);
  t.true((await peer.result('k')).ok);
});

test('after a restart, a peer gets the result that was stored, and an error for a key that is not known', async (t) => {
  const journal = durableJournal();
  const first = processWith(journal);
  first.install('k');
  (await first.puppets.call(0)).succeed();
  const result = await first.peer.result('k');
  const second = processWith(journal);
  await second.router.resume();
  second.send('unfinished', { keys: ['k', 'unknown'] });
  t.deepEqual(await second.peer.result('k'), result);
  t.is((await second.peer.result('unknown')).error?.code, 'agent_restarted');
  second.install('k');
  t.is(second.puppets.calls.length, 0);
});

test('the commands of the journal are listed for a control plane that asks for them', async (t) => {
  let time = Date.parse('2026-01-02T12:00:00Z');
  const journal = { ...createMemoryJournal(undefined, () => (time += 1000)), durable: true };
  const { puppets, peer, send, install } = processWith(journal);
  for (const key of ['early', 'ended', 'runs']) install(key, key);
  (await puppets.call(0)).succeed();
  (await puppets.call(1)).succeed();
  await peer.result('ended');
  await puppets.call(2);
  t.true(send('journal', { after: '2026-01-02T12:00:01Z' }));
  const payload = await peer.received(undefined, 'journaled');
  const commands = payload['commands'] as { key: string }[];
  t.deepEqual(
    commands.map(({ key }) => key),
    ['ended', 'runs'],
  );
  t.like(commands[0], { type: 'install_release', acceptedAt: '2026-01-02T12:00:02.000Z' });
  t.false(JSON.stringify(commands).includes('chartName'), 'no payload');
});

test('a long journal is listed in several packets, and an empty one in one', (t) => {
  const listed = Array.from({ length: 2500 }, (_, index) => {
    return { key: `k${index}`, fingerprint: 'f', type: 'install_release', acceptedAt: index };
  });
  const pages = (list: typeof listed) => {
    const { peer, send } = processWith(durableJournal({ list: () => list }));
    send('journal', { after: '1969-12-31T00:00:00Z' });
    return peer.replies.map(({ payload }) => (payload['commands'] as object[]).length);
  };
  t.deepEqual(pages(listed), [1000, 1000, 500]);
  t.deepEqual(pages([]), [0]);
});

test('a journal is not listed for a bad time, or while too many replies wait', (t) => {
  const list = () => t.fail('it must not be read');
  const { peer, send } = processWith(durableJournal({ list }));
  for (const after of [undefined, 5, 'yesterday', 'x'.repeat(100_000)]) t.false(send('journal', { after }));
  t.deepEqual([...new Set(peer.replies.map(({ kind }) => kind))], ['result']);
  const full = Object.assign(new RecordingPeer(), { isFull: true });
  t.false(send('journal', { after: '2026-01-02T12:00:00Z' }, undefined, full));
  t.deepEqual(full.replies, []);
});

test('a command without a key is continued too', async (t) => {
  const journal = durableJournal();
  const first = processWith(journal);
  const plain = new RecordingPeer('plain');
  first.send('install_release', { releaseName: 'web', chartName: 'c' }, 'k', plain);
  await first.puppets.call(0);
  const second = processWith(journal);
  await second.router.resume();
  (await second.puppets.call(0)).succeed();
  await second.router.close(1000);
  t.deepEqual(await journal.takeOver(), []);
});

test('a command that cannot be journaled is not performed', async (t) => {
  const accept = () => Promise.reject(new JournalError('journal_unavailable', 'no rights'));
  const { puppets, peer, install } = processWith(durableJournal({ accept }));
  install('k');
  t.deepEqual((await peer.result('k')).error, { code: 'journal_unavailable', message: 'no rights' });
  t.deepEqual(peer.kinds('k'), ['result']);
  t.is(puppets.calls.length, 0);
});

test('a result that cannot be journaled is sent as it is', async (t) => {
  const finish = () => Promise.reject(new JournalError('journal_unavailable', 'no rights'));
  const { puppets, peer, install, lines } = processWith(durableJournal({ finish }));
  install('k');
  (await puppets.call(0)).succeed();
  t.true((await peer.result('k')).ok);
  t.true(lines.join('').includes('cannot journal a result'));
});

test('what a command leaves for later is done when its result is journaled, and a failure only logged', async (t) => {
  const journal = durableJournal();
  const { puppets, peer, install, lines, router } = processWith(journal);
  install('k');
  const call = await puppets.call(0);
  const done: unknown[] = [];
  call.context.onJournaled(async () => {
    done.push((await journal.find('k'))?.outcome === undefined ? 'too early' : 'first');
    throw new Error('refused');
  });
  call.context.onJournaled(() => Promise.resolve(void done.push('second')));
  call.succeed();
  t.true((await peer.result('k')).ok);
  await router.close(1000);
  t.deepEqual(done, ['first', 'second']);
  t.true(lines.join('').includes('cannot clean up after a command'));
});

test('what a command leaves for later is not done if its result is not journaled', async (t) => {
  const finish = () => Promise.reject(new JournalError('journal_unavailable', 'no rights'));
  const { puppets, peer, install, router } = processWith(durableJournal({ finish }));
  install('k');
  const call = await puppets.call(0);
  call.context.onJournaled(() => Promise.resolve(t.fail('another process may need it')));
  call.succeed();
  t.true((await peer.result('k')).ok);
  await router.close(1000);
});

test('a command that another process has taken over is left to it', async (t) => {
  const save = () => Promise.reject(new JournalError('journal_lost', 'taken over'));
  const { router, puppets, peer, install } = processWith(durableJournal({ save }));
  install('k');
  const call = await puppets.call(0);
  await call.context.checkpoints.save(state, true);
  t.true(call.context.abandon.aborted);
  call.fail(call.context.abandon.reason);
  await router.close(1000);
  t.deepEqual(peer.kinds('k'), ['accepted']);
});

test('commands that only read are cancelled when the agent stops', async (t) => {
  const { router, puppets, peer, send } = processWith(durableJournal());
  send('list_releases', {}, 'k');
  const call = await puppets.call(0);
  call.context.signal.addEventListener('abort', () => call.fail(call.context.signal.reason));
  await router.close(60_000);
  t.deepEqual(peer.replies[0]?.payload, { durable: false });
  t.is((await peer.result('k')).error?.code, 'cancelled');
});

test('a command that this version does not know ends with an error', async (t) => {
  const journal = durableJournal();
  const command = { key: 'k', fingerprint: 'f', type: 'newer_command', payload: '{}', isDurable: true };
  await journal.accept({ ...command, isAnonymous: false });
  const { router, peer, send } = processWith(journal);
  await router.resume();
  send('unfinished', { keys: ['k'] });
  t.is((await peer.result('k')).error?.code, 'unknown_command');
});

test('a command whose process is killed at each start ends after the third, and its release is left', async (t) => {
  const journal = durableJournal();
  const first = processWith(journal);
  first.install('k');
  await (await first.puppets.call(0)).context.checkpoints.save(state, true);
  for (let starts = 2; starts <= 3; starts++) {
    const next = processWith(journal);
    await next.router.resume();
    t.like(await next.puppets.call(0), { context: { id: 'k', state } });
  }
  const last = processWith(journal);
  let continued: ReadonlySet<string> | undefined;
  await last.router.resume((releases) => {
    continued = releases;
    return Promise.resolve();
  });
  t.deepEqual(continued, new Set(), 'so the revision is stored as failed');
  t.is(last.puppets.calls.length, 0);
  last.send('unfinished', { keys: ['k'] });
  const { error } = await last.peer.result('k');
  t.like(error, { code: 'continued_too_often' });
  t.regex(error?.message ?? '', /^3 processes of the agent have ended while they ran the command/);
  t.deepEqual(await journal.takeOver(), []);
  last.install('again');
  (await last.puppets.call(0)).succeed();
  t.true((await last.peer.result('again')).ok);
});

test('processes that end orderly do not count', async (t) => {
  const journal = durableJournal();
  processWith(journal).install('k');
  for (let starts = 0; starts < 6; starts++) {
    const next = processWith(journal);
    await next.router.resume();
    const call = await next.puppets.call(0);
    call.context.abandon.addEventListener('abort', () => call.fail(call.context.abandon.reason));
    await next.router.close(60_000);
  }
  const last = processWith(journal);
  await last.router.resume();
  (await last.puppets.call(0)).succeed();
  last.send('unfinished', { keys: ['k'] });
  t.true((await last.peer.result('k')).ok);
});

test('commands that may have ended a process are continued one at a time, so that the others live on', async (t) => {
  const journal = durableJournal();
  const first = processWith(journal);
  const keys = ['a', 'guilty', 'b'];
  for (const key of keys) first.install(key, key);
  const second = processWith(journal);
  await second.router.resume();
  await second.puppets.call(2);
  const started: string[] = [];
  for (let starts = 3; starts <= 4; starts++) {
    const next = processWith(journal, { probationMs: 60_000 });
    await next.router.resume();
    for (let index = 0; started.length < starts - 1; index++) {
      const call = await next.puppets.call(index);
      started.push(call.context.id);
      if (call.context.id !== 'guilty') call.succeed();
    }
  }
  const last = processWith(journal, { probationMs: 60_000 });
  await last.router.resume();
  const call = await last.puppets.call(0);
  started.push(call.context.id);
  call.succeed();
  last.send('unfinished', { keys });
  t.true((await last.peer.result('b')).ok);
  t.is((await last.peer.result('guilty')).error?.code, 'continued_too_often');
  t.true((await last.peer.result('a')).ok);
  t.deepEqual(started, ['a', 'guilty', 'guilty', 'b']);
});

test('the next suspect starts when one has run for some time', async (t) => {
  const journal = durableJournal();
  const first = processWith(journal);
  for (const key of ['a', 'b', 'c']) first.install(key, key);
  const second = processWith(journal);
  await second.router.resume();
  await second.puppets.call(2);
  const alive = setInterval(() => undefined, 1000); // the timer of the probation does not keep a process alive
  t.teardown(() => clearInterval(alive));
  const short = processWith(journal, { probationMs: 1 });
  await short.router.resume();
  t.is((await short.puppets.call(2)).context.id, 'c');
});

test('a suspect that is cancelled does not wait for its turn, so that it can undo its changes', async (t) => {
  const journal = durableJournal();
  const first = processWith(journal);
  for (const key of ['a', 'b']) first.install(key, key);
  const second = processWith(journal);
  await second.router.resume();
  await second.puppets.call(1);
  const third = processWith(journal, { probationMs: 60_000 });
  await third.router.resume();
  const { context } = await third.puppets.call(0);
  t.true(context.cancel('b', 'undo'));
  const call = await third.puppets.call(1);
  t.is(call.context.id, 'b');
  t.true(call.context.signal.aborted);
});

test('a command on a release with one that is not continued starts after the release was recovered', async (t) => {
  const journal = durableJournal();
  const first = processWith(journal);
  for (const key of ['guilty', 'next']) first.install(key);
  await first.puppets.call(0);
  first.router.abandon(); // as if it was killed
  for (let starts = 2; starts <= 3; starts++) {
    const killed = processWith(journal);
    await killed.router.resume();
    t.is((await killed.puppets.call(0)).context.id, 'guilty');
    killed.router.abandon();
  }
  const last = processWith(journal);
  await last.router.resume(async (releases) => {
    t.deepEqual(releases, new Set());
    await sleep(20);
    t.is(last.puppets.calls.length, 0);
  });
  const call = await last.puppets.call(0);
  t.is(call.context.id, 'next');
  call.succeed();
});
