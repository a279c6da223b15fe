import { mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import test from 'ava';
import { AuditLog } from '../../../src/control-plane/audit/audit-log.ts';
import { verifyAudit } from '../../../src/control-plane/audit/verify-audit.ts';
import { type CommandStore, createMemoryStore } from '../../../src/control-plane/index.ts';
import { silentLog } from '../../../src/control-plane/logger.ts';
import { batch } from '../support/stored.ts';

mock.timers.enable({ apis: ['setTimeout'] });

const minute = 60_000;
const hour = 60 * minute;

/** Returns the log of a control plane that keeps entries for an hour, and its clock. */
async function opened(store: CommandStore, { start = 0, audit = store.audit.bind(store) } = {}) {
  const clock = { milliseconds: start };
  const warnings: string[] = [];
  let last = Promise.resolve();
  const log = new AuditLog({
    ...{ store: { audit }, limits: { auditEntries: 1000, auditMs: hour } },
    ...{ now: () => new Date(clock.milliseconds), monotonic: () => clock.milliseconds },
    log: { ...silentLog, warn: (_fields, message) => warnings.push(message) },
    write({ audit: entry, oldAudit, onStored }) {
      const part = batch({ ...(entry && { audit: [entry] }), ...(oldAudit && { oldAudit }) });
      if (entry || oldAudit) last = last.then(() => store.write(part));
      last = last.then(onStored);
    },
  });
  log.open((await store.open()).lastAudit);
  await nextTurn();
  return {
    log,
    warnings,
    pass: (milliseconds: number) => {
      clock.milliseconds += milliseconds;
      mock.timers.tick(milliseconds);
    },
    add: (action: string) => log.add({ action, decision: 'allowed', outcome: 'ok' }),
  };
}

/** Returns a store with entries of some times, in milliseconds. */
async function storeWith(times: readonly number[]): Promise<CommandStore> {
  const store = createMemoryStore();
  await store.write(batch({ audit: times.map((at, index) => ({ number: index + 1, at, line: '{}' })) }));
  return store;
}

const stored = (store: CommandStore) => store.audit({ after: 0, since: 0, max: 10_000 });
const storedNumbers = async (store: CommandStore) => (await stored(store)).map(({ number }) => number);

test.serial('entries that are too old are deleted while none is added, and none before', async (t) => {
  const store = await storeWith([0, 20 * minute, 10 * minute, 40 * minute]);
  const { log, pass } = await opened(store, { start: 40 * minute });
  pass(20 * minute);
  await nextTurn();
  t.deepEqual(await storedNumbers(store), [1, 2, 3, 4]);
  pass(minute);
  await nextTurn();
  t.deepEqual(await storedNumbers(store), [2, 3, 4], 'an older one stays behind one that is young enough');
  pass(20 * minute);
  await nextTurn();
  t.deepEqual(await storedNumbers(store), [4]);
  log.close();
});

test.serial('the newest entry stays, so that the next one continues the chain, also after a restart', async (t) => {
  const store = createMemoryStore();
  const first = await opened(store);
  for (const action of ['first', 'second', 'third']) first.add(action);
  await nextTurn();
  const written = await stored(store);
  first.pass(2 * hour);
  await nextTurn();
  t.deepEqual(await stored(store), written.slice(2));
  first.log.close();
  const next = await opened(store, { start: 3 * hour });
  next.pass(minute);
  await nextTurn();
  t.deepEqual(await storedNumbers(store), [3]);
  next.add('fourth');
  await nextTurn();
  const lines = (await stored(store)).map(({ line }) => `${line}\n`);
  t.like(verifyAudit(new TextEncoder().encode(lines.join(''))), { first: 3, last: 4 });
  next.pass(minute);
  await nextTurn();
  t.deepEqual(await storedNumbers(store), [4]);
  next.log.close();
});

test.serial('many entries that are too old are deleted in parts, each when the one before is stored', async (t) => {
  const store = await storeWith(Array.from({ length: 250 }, () => 0));
  const writes: PromiseWithResolvers<undefined>[] = [];
  const write: typeof store.write = async (part) => {
    const turn = Promise.withResolvers<undefined>();
    writes.push(turn);
    await turn.promise;
    await store.write(part);
  };
  const { log, pass } = await opened({ ...store, write }, { start: -minute });
  pass(hour + 2 * minute);
  const counts: number[] = [];
  for (let parts = 0; parts < 4; parts++) {
    await nextTurn();
    pass(minute);
    await nextTurn();
    counts.push((await stored(store)).length);
    writes.at(-1)?.resolve(undefined);
  }
  t.deepEqual(counts, [250, 250, 150, 50]);
  log.close();
});

test.serial('a log that cannot be read says so once, and entries are deleted when it can', async (t) => {
  const store = await storeWith([0, 0, 0]);
  let isDown = true;
  const audit: typeof store.audit = (page) => (isDown ? Promise.reject(new Error('down')) : store.audit(page));
  const { log, warnings, pass } = await opened(store, { audit });
  for (let hours = 0; hours < 3; hours++) {
    pass(hour);
    await nextTurn();
  }
  t.deepEqual(warnings, ['cannot delete old entries of the audit log; trying again']);
  isDown = false;
  pass(minute);
  await nextTurn();
  t.deepEqual(await storedNumbers(store), [3]);
  log.close();
});

test.serial('a log that is closed deletes nothing more', async (t) => {
  const store = await storeWith([0, 0, 0]);
  const read = Promise.withResolvers<undefined>();
  const audit: typeof store.audit = async (page) => {
    await read.promise;
    return await store.audit(page);
  };
  const { log, pass } = await opened(store, { audit });
  pass(hour + minute);
  log.close();
  read.resolve(undefined);
  await nextTurn();
  pass(hour);
  await nextTurn();
  t.deepEqual(await storedNumbers(store), [1, 2, 3]);
});
