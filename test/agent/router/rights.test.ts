import test from 'ava';
import { Router } from '../../../src/agent/router/router.ts';
import type { Journal } from '../../../src/journal/journal.ts';
import { createMemoryJournal } from '../../../src/journal/memory.ts';
import type { Right } from '../../../src/protocol/commands/definition.ts';
import { PuppetHandlers } from '../support/handlers.ts';
import { recordingLog } from '../support/log.ts';
import { RecordingPeer } from '../support/peer.ts';

function routerWith(rights: readonly Right[], journal: Journal = createMemoryJournal()) {
  const puppets = new PuppetHandlers();
  const { log } = recordingLog();
  const router = new Router({
    handlers: puppets.handlers,
    journal,
    log,
    instanceId: 'i',
    now: () => new Date(0),
    allowedRights: rights,
  });
  const peer = new RecordingPeer();
  const send = (type: string, payload: unknown, key: string) =>
    router.receive(Buffer.from(JSON.stringify({ key, type, payload: JSON.stringify(payload) })), false, peer);
  return { router, puppets, peer, send };
}

test('a command whose right is not allowed gets forbidden before its payload is read', async (t) => {
  const { peer, puppets, send } = routerWith(['read', 'logs']);
  send('install_release', 'not even an object', 'k');
  const result = await peer.result('k');
  t.like(result, { ok: false, error: { code: 'forbidden' } });
  t.regex(JSON.stringify(result), /needs the right \\"deploy\\"; its owner allows read, logs/);
  t.deepEqual(peer.kinds('k'), ['result'], 'it is not accepted');
  t.is(puppets.calls.length, 0);
});

test('a command whose right is allowed is performed', async (t) => {
  const { peer, puppets, send } = routerWith(['read']);
  send('list_releases', {}, 'k');
  (await puppets.call(0)).succeed();
  t.true((await peer.result('k')).ok);
});

test('a command that was accepted is not continued by an agent whose owner has taken its right away', async (t) => {
  const journal: Journal = { ...createMemoryJournal(), durable: true };
  const first = routerWith(['deploy'], journal);
  first.send('install_release', { releaseName: 'web', chartName: 'c' }, 'k');
  const call = await first.puppets.call(0);
  call.context.abandon.addEventListener('abort', () => call.fail(call.context.abandon.reason));
  await first.router.close(60_000);

  const second = routerWith(['read'], journal);
  await second.router.resume();
  second.send('unfinished', { keys: ['k'] }, 'u');
  t.like(await second.peer.result('k'), { ok: false, error: { code: 'forbidden' } });
  t.is(second.puppets.calls.length, 0);
});
