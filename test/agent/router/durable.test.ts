import test from 'ava';
import { Router } from '../../../src/agent/router/router.ts';
import { JournalError } from '../../../src/journal/journal-error.ts';
import type { Journal } from '../../../src/journal/journal.ts';
import { createMemoryJournal } from '../../../src/journal/memory.ts';
import type { OperationState } from '../../../src/operation/state/operation-state.ts';
import { PuppetHandlers } from '../support/handlers.ts';
import { recordingLog } from '../support/log.ts';
import { RecordingPeer } from '../support/peer.ts';

/** Returns a journal that survives the processes of a test. */
function durableJournal(overrides: Partial<Journal> = {}): Journal {
  return { ...createMemoryJournal(), durable: true, ...overrides };
}

/** Returns the router of a process with the journal, and a peer that is connected to it. */
function processWith(journal: Journal) {
  const puppets = new PuppetHandlers();
  const { log, lines } = recordingLog();
  const router = new Router({
    handlers: puppets.handlers,
    journal,
    log,
    instanceId: 'instance-1',
    now: () => new Date(0),
  });
  const peer = new RecordingPeer();
  const send = (type: string, payload: object, key?: string, to = peer) =>
    router.receive(Buffer.from(JSON.stringify({ key, type, payload: JSON.stringify(payload) })), false, to);
  const install = (key: string, releaseName = 'web') => send('install_release', { releaseName, chartName: 'c' }, key);
  return { router, puppets, peer, lines, send, install };
}

const state = { format: 1, id: 'k', verb: 'install', step: 'wait' } as OperationState; // routers do not look into it

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
