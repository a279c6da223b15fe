import test from 'ava';
import { defaultRouterLimits, type RouterLimits } from '../../../src/agent/router/limits.ts';
import { Router } from '../../../src/agent/router/router.ts';
import { createMemoryJournal } from '../../../src/journal/memory.ts';
import { cancelModeOf } from '../../../src/operation/cancellation.ts';
import { OperationError } from '../../../src/operation/error.ts';
import { defaultRights, rights } from '../../../src/protocol/commands/definition.ts';
import type { CommandType } from '../../../src/protocol/commands/index.ts';
import { maxPacketBytes } from '../../../src/protocol/limits.ts';
import { PuppetHandlers } from '../support/handlers.ts';
import { recordingLog } from '../support/log.ts';
import { RecordingPeer } from '../support/peer.ts';
import { testRelease } from '../support/release.ts';

function routerWith(limits: Partial<RouterLimits> = {}, allowedRights = defaultRights) {
  const puppets = new PuppetHandlers();
  const { log, lines } = recordingLog();
  const router = new Router({
    handlers: puppets.handlers,
    journal: createMemoryJournal(),
    log,
    instanceId: 'instance-1',
    now: () => new Date(0),
    allowedRights,
    limits: { ...defaultRouterLimits, ...limits },
  });
  const peer = new RecordingPeer();
  const send = (packet: unknown, to = peer) => router.receive(Buffer.from(JSON.stringify(packet)), false, to);
  const command = (key: string | undefined, type: string, payload: object, to = peer) =>
    send({ key, type, payload: JSON.stringify(payload) }, to);
  const install = (key: string, releaseName: string, to = peer) =>
    command(key, 'install_release', { releaseName, chartName: 'c' }, to);
  return { router, puppets, lines, peer, send, command, install };
}

const refuses = test.macro({
  exec: async (t, frame: string | Buffer, code: string, key?: string) => {
    const { router, peer, command, puppets } = routerWith();
    router.receive(Buffer.from(frame), Buffer.isBuffer(frame), peer);
    const result = await peer.result(key);
    t.false(result.ok);
    t.is(result.error?.code, code);
    command('next', 'list_releases', {});
    (await puppets.call(0)).succeed({ releases: [] });
    t.true((await peer.result('next')).ok, 'the router accepts the next command');
  },
  title: (name) => `${name ?? ''} gets an error code`,
});

test('a frame that is not JSON', refuses, '{', 'bad_packet');
test('an empty frame', refuses, '', 'bad_packet');
test('a binary frame', refuses, Buffer.from('{"type":"list_releases"}'), 'bad_packet');
test('a packet without type', refuses, '{"key":"k"}', 'bad_packet', 'k');
test('a packet of an unknown type', refuses, '{"key":"k","type":"nope"}', 'unknown_command', 'k');
test(
  'a type that is a property of every JavaScript object',
  refuses,
  '{"key":"k","type":"constructor"}',
  'unknown_command',
  'k',
);
test('a payload that is not JSON', refuses, '{"key":"k","type":"get_release","payload":"{"}', 'bad_payload', 'k');
test('a payload without a required field', refuses, '{"key":"k","type":"get_release"}', 'bad_payload', 'k');
test(
  'a packet that is too large',
  refuses,
  JSON.stringify({ key: 'k', type: 'list_releases', payload: ' '.repeat(maxPacketBytes) }),
  'too_large',
  'k',
);

test('the log has the code of a refused packet, and nothing else of it', (t) => {
  const { router, peer, lines } = routerWith();
  for (const frame of ['{"sentinel', '{"type":"sentinel"}', '{"type":"get_release","payload":"{\\"sentinel\\":1}"}']) {
    router.receive(Buffer.from(frame), false, peer);
  }
  t.is(lines.filter((line) => line.includes('refused a packet')).length, 3);
  t.true(lines.join('').includes('bad_payload'));
  t.false(lines.join('').includes('sentinel'));
});

test('a command beyond the bytes of all that run is refused as busy', async (t) => {
  const { peer, puppets, command } = routerWith({ maxBytes: 1000 });
  command('a', 'install_release', { releaseName: 'a', chartName: 'c', values: 'x'.repeat(800) });
  const call = await puppets.call(0);
  command('b', 'install_release', { releaseName: 'b', chartName: 'c', values: 'x'.repeat(800) });
  t.is((await peer.result('b')).error?.code, 'busy');
  call.succeed();
  await peer.result('a');
  command('c', 'install_release', { releaseName: 'b', chartName: 'c', values: 'x'.repeat(800) });
  t.is((await puppets.call(1)).type, 'install_release');
});

test('a status with many resources is sent as several packets', async (t) => {
  const { peer, puppets, install } = routerWith();
  install('k', 'web');
  const call = await puppets.call(0);
  const pod = { apiVersion: 'v1', kind: 'Pod', name: 'a', status: 'Failed' as const, reason: 'r' };
  const resources = Array.from({ length: 2500 }, () => pod);
  call.context.progress({ step: 'wait', state: 'running', time: '2026-01-01T00:00:00.000Z', resources });
  call.succeed();
  await peer.result('k');
  const parts = peer.replies.filter(({ kind }) => kind === 'status').map(({ payload }) => payload);
  t.deepEqual(
    parts.map((payload) => [payload['seq'], (payload['resources'] as unknown[]).length]),
    [
      [1, 1000],
      [2, 1000],
      [3, 500],
    ],
  );
});

test('an answer that does not fit in a packet is an error', async (t) => {
  const { peer, puppets, command } = routerWith();
  command('k', 'list_releases', {});
  const release = { name: 'x'.repeat(9_000_000) };
  (await puppets.call(0)).succeed({ releases: [release] });
  t.is((await peer.result('k')).error?.code, 'too_large');
});

test('sends accepted, the steps in order, and the result', async (t) => {
  const { peer, puppets, install } = routerWith();
  install('k', 'web');
  const call = await puppets.call(0);
  call.report('one');
  call.report('two');
  call.succeed();
  await peer.result('k');
  t.deepEqual(
    peer.replies.map(({ kind, key, payload }) => [kind, key, payload['seq'] ?? payload]),
    [
      ['accepted', 'k', { durable: false }],
      ['status', 'k', 1],
      ['status', 'k', 2],
      ['result', 'k', { ok: true, release: testRelease('web') }],
    ],
  );
});

test('sends an error with a listed code, its message and its position', async (t) => {
  const { peer, puppets, install } = routerWith();
  install('k', 'web');
  const position = { file: 'c/templates/a.yaml', line: 3, column: 7 };
  (await puppets.call(0)).fail(Object.assign(new Error('no such value'), { code: 'cancelled', position }));
  t.deepEqual(await peer.result('k'), {
    ok: false,
    error: { code: 'cancelled', message: 'no such value', position },
  });
});

test('sends any other error as internal, and logs where it was thrown without its text', async (t) => {
  const { peer, puppets, install, lines } = routerWith();
  install('a', 'a');
  install('b', 'b');
  (await puppets.call(0)).fail(new TypeError('x is undefined'));
  (await puppets.call(1)).fail(Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }));
  for (const key of ['a', 'b']) {
    const { error } = await peer.result(key);
    t.deepEqual(error, { code: 'internal', message: "an internal error of the agent; see the agent's log" });
  }
  t.false(lines.join('').includes('x is undefined'));
  t.regex(lines.join(''), /"stack":"TypeError\\nat .*router\.test\.ts/);
});

test('sends nothing after the result', async (t) => {
  const { peer, puppets, install } = routerWith();
  install('k', 'web');
  const call = await puppets.call(0);
  call.succeed();
  await peer.result('k');
  call.report('late');
  t.deepEqual(peer.kinds('k'), ['accepted', 'result']);
});

test('runs commands on one release one after the other, and those on other releases at the same time', async (t) => {
  const { peer, puppets, command, install } = routerWith();
  install('a1', 'a');
  command('a2', 'upgrade_release', { namespace: 'default', releaseName: 'a', chartName: 'c' });
  command('a3', 'uninstall_release', { releaseName: 'a', namespace: '' });
  install('b1', 'b');
  command('other', 'uninstall_release', { releaseName: 'a', namespace: 'elsewhere' });
  const [a1, b1, other] = [await puppets.call(0), await puppets.call(1), await puppets.call(2)];
  t.deepEqual(
    [a1, b1, other].map(({ payload }) => payload.releaseName),
    ['a', 'b', 'a'],
  );
  t.is(other.payload.namespace, 'elsewhere');
  t.deepEqual(peer.kinds('a3'), ['accepted', 'status'], 'a waiting command is accepted immediately');
  a1.fail(new Error('first'));
  t.is((await puppets.call(3)).type, 'upgrade_release');
  t.is(puppets.calls.length, 4);
  puppets.calls[3]?.succeed();
  t.is((await puppets.call(4)).type, 'uninstall_release');
});

test('a command with another key takes its turn on a release, and says so while it waits', async (t) => {
  const { peer, puppets, command, install } = routerWith({ concurrency: 2 });
  install('a1', 'a');
  const a1 = await puppets.call(0);
  command('follow', 'correct_release', { releaseName: 'a', watch: true });
  const follow = await puppets.call(1);
  const done: string[] = [];
  const turn = (signal: AbortSignal) =>
    follow.context.whileWaiting(() =>
      follow.context.takeTurn({ release: 'default/a', reason: 'drift', isOneOfMany: true, signal }, () => {
        done.push('turn');
        return Promise.resolve();
      }),
    );
  const given = new AbortController();
  const abandoned = turn(given.signal);
  given.abort(new Error('enough'));
  await t.throwsAsync(abandoned, { message: 'enough' });
  const waiting = turn(new AbortController().signal);
  install('a2', 'a');
  t.deepEqual(done, []);
  a1.succeed();
  await waiting;
  t.deepEqual(done, ['turn']);
  (await puppets.call(2)).succeed();
  follow.succeed();
  t.true((await peer.result('a2')).ok, 'it waited for the turn');
  t.deepEqual(peer.kinds('follow'), ['accepted', 'status', 'status', 'status', 'result']);
});

test('limits the number of operations that run at a time', async (t) => {
  const { puppets, install } = routerWith({ concurrency: 2 });
  for (const name of ['a', 'b', 'c']) install(name, name);
  const first = await puppets.call(0);
  await puppets.call(1);
  t.is(puppets.calls.length, 2);
  first.succeed();
  t.is((await puppets.call(2)).payload.releaseName, 'c');
});

test('reading commands do not wait for operations, not even on their release', async (t) => {
  const { peer, puppets, install, command } = routerWith({ concurrency: 1 });
  install('k', 'web');
  await puppets.call(0);
  command('read', 'get_release', { releaseName: 'web' });
  (await puppets.call(1)).succeed();
  t.true((await peer.result('read')).ok);
});

test('refuses an operation as busy if too many are running or waiting', async (t) => {
  const { peer, puppets, install } = routerWith({ concurrency: 1, maxOperations: 2 });
  for (const name of ['a', 'b', 'c']) install(name, name);
  t.is((await peer.result('c')).error?.code, 'busy');
  (await puppets.call(0)).succeed();
  (await puppets.call(1)).succeed();
  await peer.result('b');
  install('d', 'd');
  (await puppets.call(2)).succeed();
  t.true((await peer.result('d')).ok);
});

const following = test.macro({
  title: (_, type: CommandType) => `commands of the type ${type} that follow something do not block other reads`,
  async exec(t, type: CommandType, payload: object) {
    const { peer, puppets, command } = routerWith({ maxReads: 1, maxFollows: 2 }, rights);
    for (const key of ['a', 'b', 'c']) command(key, type, payload);
    t.like((await peer.result('c')).error, {
      code: 'busy',
      message: '2 commands that follow something are running; try again later',
    });
    command('read', 'list_releases', {});
    (await puppets.call(2)).succeed({ releases: [] });
    t.true((await peer.result('read')).ok);
    (await puppets.call(0)).fail(new OperationError('internal', 'over'));
    await peer.result('a');
    command('d', type, payload);
    t.is((await puppets.call(3)).type, type);
  },
});

test(following, 'watch_release', { releaseName: 'web' });
test(following, 'watch_objects', { kind: 'pods' });
test(following, 'pod_logs', { namespace: 'shop', name: 'web-0', follow: true });
test(following, 'exec_pod', { namespace: 'shop', name: 'web-0', command: ['env'] });
test(following, 'port_forward', { namespace: 'shop', name: 'web-0', port: 80 });

test('sends the result again for a repeated key, without performing the command again', async (t) => {
  const { peer, puppets, install } = routerWith();
  install('k', 'web');
  (await puppets.call(0)).succeed();
  const first = await peer.result('k');
  const later = new RecordingPeer();
  install('k', 'web', later);
  t.deepEqual(await later.result('k'), first);
  t.deepEqual(later.replies[0]?.payload, { durable: false, repeated: true });
  t.is(puppets.calls.length, 1);
});

test('sends the remaining packets for a key that is repeated while its command runs', async (t) => {
  const { peer, puppets, install } = routerWith();
  install('k', 'web');
  const call = await puppets.call(0);
  call.report('one');
  const later = new RecordingPeer();
  install('k', 'web', later);
  call.report('two');
  call.succeed();
  t.deepEqual(await later.result('k'), await peer.result('k'));
  t.deepEqual(later.kinds('k'), ['accepted', 'status', 'result']);
  t.deepEqual(peer.kinds('k'), ['accepted', 'status', 'status', 'result']);
  t.is(puppets.calls.length, 1);
});

test('performs two packets with one key once', async (t) => {
  const { peer, puppets, install } = routerWith();
  install('k', 'web');
  install('k', 'web');
  (await puppets.call(0)).succeed();
  await peer.result('k');
  t.is(puppets.calls.length, 1);
});

test('refuses a key that names another command, running or finished', async (t) => {
  const { peer, puppets, install } = routerWith();
  install('k', 'web');
  const call = await puppets.call(0);
  const second = new RecordingPeer();
  install('k', 'api', second);
  t.is((await second.result('k')).error?.code, 'key_reused');
  call.succeed();
  t.true((await peer.result('k')).ok);
  const third = new RecordingPeer();
  install('k', 'api', third);
  t.is((await third.result('k')).error?.code, 'key_reused');
  t.is(puppets.calls.length, 1);
});

test('performs commands without a key each time', async (t) => {
  const { puppets, command } = routerWith();
  command(undefined, 'list_releases', {});
  command(undefined, 'list_releases', {});
  await puppets.call(1);
  t.deepEqual(
    puppets.calls.map(({ type }) => type),
    ['list_releases', 'list_releases'],
  );
});

test('performs commands with the same key each time in the plain form', async (t) => {
  const { puppets, install } = routerWith();
  const plain = new RecordingPeer('plain');
  install('k', 'web', plain);
  install('k', 'api', plain);
  await puppets.call(1);
  t.deepEqual(
    puppets.calls.map(({ payload }) => payload.releaseName),
    ['web', 'api'],
  );
  for (const call of puppets.calls) call.succeed();
  await plain.result('k');
  t.deepEqual(
    plain.replies.filter(({ kind }) => kind === 'result').map(({ payload }) => payload['release']),
    [testRelease('web'), testRelease('api')],
  );
});

test('does not reply to the packets that agents send, so that two agents never reply to each other forever', (t) => {
  const { peer, send } = routerWith();
  for (const type of ['hello', 'welcome', 'accepted', 'status', 'result']) send({ key: 'k', type, payload: '{}' });
  t.deepEqual(peer.replies, []);
});

test('closing cancels running and waiting commands, and refuses new ones', async (t) => {
  const { router, peer, puppets, install } = routerWith();
  install('runs', 'web');
  install('waits', 'web');
  const call = await puppets.call(0);
  call.context.signal.addEventListener('abort', () => call.fail(call.context.signal.reason));
  await router.close(5000);
  for (const key of ['runs', 'waits']) t.is((await peer.result(key)).error?.code, 'cancelled');
  t.false(call.context.abandon.aborted);
  install('late', 'api');
  t.is((await peer.result('late')).error?.code, 'shutting_down');
  t.is(puppets.calls.length, 1);
});

test('closing gives operations time to undo their changes', async (t) => {
  const { router, peer, puppets, install } = routerWith();
  install('k', 'web');
  const call = await puppets.call(0);
  call.context.signal.addEventListener('abort', () => {
    call.report('undoing');
    setTimeout(() => call.fail(call.context.signal.reason), 30);
  });
  await router.close(5000);
  t.deepEqual(peer.kinds('k'), ['accepted', 'status', 'result']);
});

test('closing aborts operations that take too long, and sends their results', async (t) => {
  const { router, peer, puppets, install } = routerWith();
  install('aborts', 'a');
  install('hangs', 'b');
  const call = await puppets.call(0);
  call.context.abandon.addEventListener('abort', () => call.fail(call.context.abandon.reason));
  await router.close(20);
  for (const key of ['aborts', 'hangs']) {
    const { error } = await peer.result(key);
    t.is(error?.code, 'cancelled');
    t.regex(error?.message ?? '', /^aborted: the agent is shutting down$/);
  }
});

test('no log line and no reply has a password that an error quotes', async (t) => {
  const { router, peer, puppets, command, lines } = routerWith();
  const secret = 'sentinel p@ss/word';
  const encoded = encodeURIComponent(secret);
  const payload = {
    releaseName: 'web',
    chartName: 'c',
    repoUrl: `https://user:${encoded}@charts.example`,
    repoPassword: secret,
  };
  command('known', 'install_release', payload);
  command('defect', 'install_release', payload);
  command('bad', 'install_release', { ...payload, wait: 1 });
  router.receive(Buffer.from(`{"repoPassword":"${secret}`), false, peer);
  const known = await puppets.call(0);
  known.report(`GET https://user:${encoded}@charts.example`);
  const undoErrors = [{ code: 'unreachable', message: `no answer with ${secret}` }];
  known.fail(new OperationError('cancelled', `password ${secret} refused`, { undoErrors }));
  (await puppets.call(1)).fail(new Error(`defect with ${secret}`));
  for (const key of ['known', 'defect', 'bad', undefined]) t.false((await peer.result(key)).ok);
  const all = lines.join('') + JSON.stringify(peer.replies);
  t.deepEqual((await peer.result('known')).error, {
    code: 'cancelled',
    message: 'password *** refused',
    undoErrors: [{ code: 'unreachable', message: 'no answer with ***' }],
  });
  t.true(all.includes('***'));
  t.false(all.includes('sentinel'));
});

test('a command that runs and one that waits can be cancelled by their keys', async (t) => {
  const { puppets, peer, install } = routerWith();
  install('a', 'web');
  const running = await puppets.call(0);
  install('b', 'web');
  t.true(running.context.cancel('b', 'undo'));
  t.like(await peer.result('b'), {
    ok: false,
    error: { code: 'cancelled', message: 'a command to cancel it arrived' },
  });
  t.false(running.context.signal.aborted);
  t.true(running.context.cancel('a', 'undo'));
  t.like(running.context.signal.reason, { code: 'cancelled' });
  t.false(running.context.cancel('b', 'undo'));
  t.false(running.context.cancel('unknown', 'undo'));
  running.fail(running.context.signal.reason);
  t.is((await peer.result('a')).error?.code, 'cancelled');
});

test('sends evidence as packets of their own, without the password of the command', async (t) => {
  const { puppets, peer, command } = routerWith();
  command('k', 'install_release', { releaseName: 'a', chartName: 'c', repoPassword: 'hunter22' });
  const call = await puppets.call(0);
  const resource = { apiVersion: 'v1', kind: 'Pod', name: 'web', status: 'Failed', reason: 'with hunter22' } as const;
  const progress = { step: 'wait', state: 'running', time: '2026-01-01T10:00:00.000Z' } as const;
  const found = { conditions: [], events: [], pods: [] };
  call.context.progress({ ...progress, evidence: { resources: [{ ...resource, ...found }] } });
  call.context.progress({ ...progress, message: 'next' });
  const resources = [{ ...resource, reason: 'with ***', ...found }];
  t.deepEqual(
    peer.replies.slice(1).map(({ kind, payload }) => [kind, payload]),
    [
      ['evidence', { seq: 1, step: 'wait', time: progress.time, resources }],
      ['status', { ...progress, seq: 1, message: 'next' }],
    ],
  );
  call.succeed();
});
for (const mode of ['leave', 'superseded', 'park'] as const) {
  test(`a cancel with the mode ${mode} reaches the operation`, async (t) => {
    const { puppets, peer, install } = routerWith();
    install('a', 'web');
    const running = await puppets.call(0);
    const { context } = running;
    t.true(context.cancel('a', mode));
    t.is(cancelModeOf(context.signal), mode === 'park' ? 'leave' : mode);
    t.is(context.abandon.aborted, mode === 'park');
    running.fail(context.signal.reason);
    t.is((await peer.result('a')).error?.code, 'cancelled');
  });
}

const positionsOf = (peer: RecordingPeer, key: string) =>
  peer.replies
    .filter((reply) => reply.key === key && reply.payload['step'] === 'queue')
    .map(({ payload }) => payload['position'] ?? payload['state']);

test('a command that waits gets its position, and each change of it', async (t) => {
  const { peer, puppets, install } = routerWith({ concurrency: 2 });
  for (const key of ['a', 'b', 'c']) install(key, 'web');
  (await puppets.call(0)).succeed();
  (await puppets.call(1)).succeed();
  (await puppets.call(2)).succeed();
  await peer.result('c');
  t.deepEqual(positionsOf(peer, 'a'), []);
  t.deepEqual(positionsOf(peer, 'b'), [1, 'done']);
  t.deepEqual(positionsOf(peer, 'c'), [2, 1, 'done']);
  t.is(peer.replies.find(({ payload }) => payload['position'] === 2)?.payload['message'], queueText);
});

test('the time in the queue counts: a command whose time is over ends there and has changed nothing', async (t) => {
  const { peer, puppets, command, install } = routerWith();
  install('a', 'web');
  const first = await puppets.call(0);
  t.true(first.context.queued >= 0);
  command('b', 'upgrade_release', { releaseName: 'web', chartName: 'c', timeout: '100ms' });
  const { error } = await peer.result('b');
  t.is(error?.code, 'timeout');
  t.is(error?.message, 'timed out after 100ms: the command was still waiting for its turn, and has changed nothing');
  first.succeed();
  t.true((await peer.result('a')).ok);
  t.is(puppets.calls.length, 1);
});

const queueText = 'waits for 2 other commands on the release';

test('an operation that only waits for the cluster lets others work, and continues before new ones', async (t) => {
  const { peer, puppets, install } = routerWith({ concurrency: 1 });
  for (const key of ['a', 'b', 'c']) install(key, key);
  const first = await puppets.call(0);
  t.deepEqual(positionsOf(peer, 'b'), [0]);
  const ready = Promise.withResolvers<undefined>();
  const waited = first.context.whileWaiting(() => ready.promise);
  const second = await puppets.call(1);
  ready.resolve(undefined);
  let isBack = false;
  void waited.then(() => (isBack = true));
  await new Promise((resolve) => setImmediate(resolve));
  t.false(isBack);
  second.succeed();
  await waited;
  t.is(puppets.calls.length, 2);
  first.succeed();
  t.is((await puppets.call(2)).payload.releaseName, 'c');
});

test('an operation that is cancelled while it waits does not need a free place to be undone', async (t) => {
  const { puppets, install } = routerWith({ concurrency: 1 });
  for (const key of ['a', 'b']) install(key, key);
  const first = await puppets.call(0);
  const stopped = new Promise((_, reject) => {
    first.context.signal.addEventListener('abort', () => reject(first.context.signal.reason as Error));
  });
  const waited = first.context.whileWaiting(() => stopped);
  await puppets.call(1);
  first.context.cancel('a', 'undo');
  await t.throwsAsync(waited, { code: 'cancelled' });
});

test('with ifBusy reject, a command fails if another one on its release runs or waits', async (t) => {
  const { peer, puppets, install, command } = routerWith();
  const rejecting = { releaseName: 'web', chartName: 'c', ifBusy: 'reject' };
  install('a', 'web');
  const call = await puppets.call(0);
  command('b', 'upgrade_release', rejecting);
  t.is((await peer.result('b')).error?.code, 'pending_operation');
  call.succeed();
  await peer.result('a');
  command('c', 'upgrade_release', rejecting);
  (await puppets.call(1)).succeed();
  t.true((await peer.result('c')).ok);
});

test('with ifBusy supersede, an upgrade replaces those on its release that run or wait', async (t) => {
  const { peer, puppets, command, install } = routerWith();
  const payload = { releaseName: 'web', chartName: 'c' };
  command('runs', 'upgrade_release', payload);
  const call = await puppets.call(0);
  command('waits', 'upgrade_release', payload);
  command('test', 'test_release', { releaseName: 'web' });
  install('other', 'api');
  const other = await puppets.call(1);
  command('newest', 'upgrade_release', { ...payload, ifBusy: 'supersede' });
  t.like(await peer.result('waits'), { error: { code: 'cancelled', message: 'a newer command replaces it' } });
  t.like(call.context.signal.reason, { mode: 'superseded' });
  t.false(other.context.signal.aborted);
  call.fail(call.context.signal.reason);
  t.is((await puppets.call(2)).type, 'test_release');
  puppets.calls[2]?.succeed();
  t.like((await puppets.call(3)).payload, { ifBusy: 'supersede' });
});
