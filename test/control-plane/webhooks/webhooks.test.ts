import { isDeepStrictEqual } from 'node:util';
import test, { type Macro } from 'ava';
import { abortable, Notice } from '../../../src/async/index.ts';
import type { AuditFields } from '../../../src/control-plane/audit/audit-entry.ts';
import type { StoredEntry } from '../../../src/control-plane/index.ts';
import type { Delivery, DeliveryOutcome } from '../../../src/control-plane/webhooks/deliver-webhook.ts';
import { storedWebhookSchema } from '../../../src/control-plane/webhooks/webhook.ts';
import { cloudEvent, type Feed, type FeedItem } from '../../../src/control-plane/webhooks/webhook-events.ts';
import { Webhooks } from '../../../src/control-plane/webhooks/webhooks.ts';
import { recordingLog } from '../../agent/support/log.ts';
import { eventually } from '../../support/eventually.ts';

type Respond = (delivery: Delivery) => DeliveryOutcome | Promise<DeliveryOutcome>;

/** Returns webhooks with a clock, a store and events of their own. */
function world({
  respond = () => ({ status: 200 }),
  store = new Map<string, string>(),
  stored = () => Promise.resolve(),
}: { respond?: Respond; store?: Map<string, string>; stored?: () => Promise<void> } = {}) {
  const counts: Record<Feed, number> = { results: 0, audit: 0 };
  const added = new Notice();
  const deliveries: Delivery[] = [];
  const pauses: number[] = [];
  const audit: AuditFields[] = [];
  const { log, lines } = recordingLog();
  const clock = { time: 1_000_000, ids: 0 };
  const webhooks = new Webhooks({
    async *items(feed, after, signal): AsyncGenerator<FeedItem> {
      for (let number = after + 1; !signal.aborted;) {
        if (number > counts[feed]) {
          await added.next(signal);
          continue;
        }
        const name = feed === 'results' ? 'command.ended' : 'audit';
        const fields = { id: `${feed}_${number}`, source: 'hub', time: '', data: {} };
        yield { number: number++, events: [{ name, event: cloudEvent(name, fields) }] };
      }
    },
    newest: (feed) => counts[feed],
    async deliver(delivery, signal) {
      deliveries.push(delivery);
      return await abortable(Promise.resolve(respond(delivery)), signal);
    },
    ...{ allowedHosts: [], source: () => 'hub', log, audit: (fields: AuditFields) => audit.push(fields) },
    now: () => new Date(clock.time),
    newId: () => `id-${++clock.ids}`,
    randomBytes: (size) => new Uint8Array(size).fill(++clock.ids),
    keep({ id, text }: StoredEntry) {
      if (text === undefined) store.delete(id);
      else store.set(id, text);
    },
    stored,
    async sleep(milliseconds, signal) {
      pauses.push(milliseconds);
      clock.time += milliseconds;
      await new Promise(setImmediate);
      signal.throwIfAborted();
    },
  });
  const entries = () => Array.from(store, ([id, text]): StoredEntry => ({ collection: 'webhook', id, text }));
  const add = (feed: Feed, count = 1) => {
    counts[feed] += count;
    added.give();
  };
  const sentIds = () => deliveries.map(({ event }) => event.id);
  return { webhooks, store, entries, add, sentIds, deliveries, pauses, audit, lines, clock };
}

const url = 'https://example.com/hook';
const ended = { url, events: ['command.ended' as const] };

test('a webhook gets the events after its creation, in their order, and only those that it asks for', async (t) => {
  const { webhooks, add, sentIds } = world();
  add('results', 2);
  await webhooks.create(ended, { name: 'root', requireAllowed: () => undefined });
  add('audit', 2);
  add('results', 3);
  await eventually('three events are delivered', () => sentIds().length === 3);
  t.deepEqual(sentIds(), ['results_3', 'results_4', 'results_5']);
  await webhooks.close();
});

test('an event is repeated with growing pauses until it is accepted, before the next one', async (t) => {
  let failures = 14;
  const respond = () => (failures-- > 0 ? { status: 500 } : { status: 200 });
  const { webhooks, add, sentIds, pauses } = world({ respond });
  const { id } = await webhooks.create(ended);
  add('results', 2);
  await eventually('there are deliveries', () => sentIds().length === 16);
  t.deepEqual(sentIds(), [...Array<string>(15).fill('results_1'), 'results_2']);
  for (const [index, pause] of pauses.entries()) {
    const longest = Math.min(3_600_000, 1000 * 2 ** index);
    t.true(pause >= longest / 2 && pause <= longest, `${index}: ${pause}`);
  }
  t.deepEqual(
    webhooks.list().map(({ id: its, state, problem }) => ({ its, state, problem })),
    [{ its: id, state: 'active', problem: undefined }],
  );
  await webhooks.close();
});

test('a receiver that fails for five days is disabled, also over restarts, and continues where it was', async (t) => {
  const store = new Map<string, string>();
  let isFailing = true;
  const respond = (): DeliveryOutcome =>
    isFailing ? { problem: 'the receiver cannot be reached: ECONNREFUSED' } : { status: 204 };
  let attempts = 0;
  const first = world({ respond: () => (++attempts < 5 ? respond() : new Promise(() => undefined)), store });
  const { id } = await first.webhooks.create(ended);
  first.add('results', 1);
  await eventually('there are deliveries', () => attempts === 5);
  await first.webhooks.close();
  const second = world({ respond, store });
  second.clock.time = first.clock.time;
  second.add('results', 2);
  second.webhooks.open(second.entries());
  await eventually('the webhook is disabled', () => second.webhooks.list()[0]?.state === 'disabled');
  t.true(second.clock.time - 1_000_000 >= 5 * 24 * 3_600_000);
  t.true(second.clock.time - 1_000_000 < 6 * 24 * 3_600_000);
  t.like(second.audit[0], { action: 'webhook disabled', webhookId: id });
  t.regex(second.webhooks.list()[0]?.problem ?? '', /ECONNREFUSED/);
  const count = second.deliveries.length;
  await second.webhooks.close();
  const third = world({ respond, store });
  third.add('results', 2);
  third.webhooks.open(third.entries());
  isFailing = false;
  t.is(third.deliveries.length, 0);
  t.is((await third.webhooks.enable(id)).state, 'active');
  await eventually('the deliveries are those that are expected', () =>
    isDeepStrictEqual(third.sentIds(), ['results_1', 'results_2']),
  );
  t.true(count > 100);
  await third.webhooks.close();
});

test('a receiver that is gone is disabled at once', async (t) => {
  const { webhooks, add, deliveries } = world({ respond: () => ({ status: 410 }) });
  await webhooks.create(ended);
  add('results', 3);
  await eventually('the webhook is disabled', () => webhooks.list()[0]?.state === 'disabled');
  t.is(deliveries.length, 1);
  await webhooks.close();
});

test('a process that was killed before it noted a delivery sends the event again, and loses none', async (t) => {
  const store = new Map<string, string>();
  const first = world({ store });
  const { id } = await first.webhooks.create(ended);
  const before = store.get(id) ?? '';
  first.add('results', 2);
  await eventually('there are deliveries', () => first.deliveries.length === 2);
  await first.webhooks.close();
  const second = world({ store });
  second.add('results', 3);
  second.webhooks.open(second.entries());
  await eventually('the deliveries are those that are expected', () =>
    isDeepStrictEqual(second.sentIds(), ['results_3']),
  );
  await second.webhooks.close();
  const third = world({ store: new Map([[id, before]]) });
  third.add('results', 3);
  third.webhooks.open(third.entries());
  await eventually('three events are delivered', () => third.sentIds().length === 3);
  t.deepEqual(third.sentIds(), ['results_1', 'results_2', 'results_3']);
  await third.webhooks.close();
});

test('a slow receiver holds up neither another one nor the end', async (t) => {
  const respond: Respond = ({ url: to }) => (to.includes('slow') ? new Promise(() => undefined) : { status: 200 });
  const { webhooks, add, deliveries } = world({ respond });
  await webhooks.create({ ...ended, url: 'https://slow.example/' });
  await webhooks.create(ended);
  add('results', 50);
  await eventually('there are deliveries', () => deliveries.filter(({ url: to }) => to === url).length === 50);
  t.is(deliveries.length, 51);
  await webhooks.close();
});

test('a secret that was replaced signs for a day, and none is listed or logged', async (t) => {
  const { webhooks, add, deliveries, clock, lines } = world();
  const { id, secret } = await webhooks.create({ url, events: ['audit'] });
  const { secret: next } = await webhooks.rotate(id);
  t.regex(next, /^whsec_[\w+/]{43}=$/);
  add('audit');
  await eventually('the deliveries are those that are expected', () =>
    isDeepStrictEqual(deliveries.at(-1)?.secrets, [next, secret]),
  );
  clock.time += 25 * 3_600_000;
  add('audit');
  await eventually('the deliveries are those that are expected', () =>
    isDeepStrictEqual(deliveries.at(-1)?.secrets, [next]),
  );
  t.notRegex(JSON.stringify([webhooks.list(), lines]), /whsec_/);
  await webhooks.close();
});

/** Webhooks whose changes are stored, or are not, when the test says so. */
function waitingWorld() {
  const waiting: PromiseWithResolvers<undefined>[] = [];
  let isHeld = false;
  const of = world({
    async stored() {
      if (!isHeld) return;
      const write = Promise.withResolvers<undefined>();
      waiting.push(write);
      await write.promise;
    },
  });
  /** Returns the changes, and the end of the write of each, when all of them wait for that. */
  const begin = async <T>(...calls: (() => Promise<T>)[]) => {
    waiting.length = 0;
    const begun = calls.map((call) => call());
    for (const change of begun) change.catch(() => undefined); // the test looks at them later
    isHeld = true; // they have waited for what was changed before
    await eventually('all changes wait', () => waiting.length === calls.length);
    isHeld = false;
    return begun.map((change, index) => ({ change, write: waiting[index] }));
  };
  const secrets = async () => {
    of.add('results');
    const { length } = of.deliveries;
    await eventually('an event is delivered', () => of.deliveries.length > length);
    return of.deliveries.at(-1)?.secrets;
  };
  return { ...of, begin, secrets };
}

const failedRotations: Macro<[order: number[]]> = test.macro({
  title: (name = '') => `secrets that cannot be stored leave the one before: ${name}`,
  async exec(t, order) {
    const { webhooks, begin, secrets, entries } = waitingWorld();
    const { id, secret } = await webhooks.create(ended);
    const before = entries();
    const rotate = () => webhooks.rotate(id);
    const rotations = await begin(rotate, rotate, rotate);
    for (const index of order) {
      rotations[index]?.write?.reject(new Error('the disk is full'));
      await t.throwsAsync(rotations[index]?.change ?? Promise.resolve(), { message: 'the disk is full' });
    }
    t.deepEqual(entries(), before);
    t.deepEqual(await secrets(), [secret]);
    await webhooks.close();
  },
});
test('the first fails first', failedRotations, [0, 1, 2]);
test('the last fails first', failedRotations, [2, 1, 0]);
test('the one between fails first', failedRotations, [1, 2, 0]);

test('a secret that is stored stays if others cannot be stored', async (t) => {
  const { webhooks, begin, secrets } = waitingWorld();
  const { id, secret } = await webhooks.create(ended);
  const rotate = () => webhooks.rotate(id);
  const [first, second, third] = await begin(rotate, rotate, rotate);
  first?.write?.reject(new Error('the disk is full'));
  second?.write?.resolve(undefined);
  third?.write?.reject(new Error('the disk is full'));
  await t.throwsAsync(first?.change ?? Promise.resolve());
  await t.throwsAsync(third?.change ?? Promise.resolve());
  t.deepEqual(await secrets(), [(await second?.change)?.secret, secret]);
  await webhooks.close();
});

test('a webhook that is enabled meanwhile keeps a secret that is stored, and does not get one that is not', async (t) => {
  const { webhooks, begin, entries } = waitingWorld();
  const { id, secret } = await webhooks.create(ended);
  const stored = () => storedWebhookSchema.parse(JSON.parse(entries()[0]?.text ?? '')).secrets;
  const [enabling, rotating] = await begin<{ id: string; secret?: string }>(
    () => webhooks.enable(id),
    () => webhooks.rotate(id),
  );
  rotating?.write?.resolve(undefined);
  const next = (await rotating?.change)?.secret;
  enabling?.write?.reject(new Error('the disk is full'));
  await t.throwsAsync(enabling?.change ?? Promise.resolve());
  t.deepEqual(
    stored().map((kept) => kept.secret),
    [next, secret],
  );
  const before = stored();
  const [rotation, enabled] = await begin<{ id: string; secret?: string }>(
    () => webhooks.rotate(id),
    () => webhooks.enable(id),
  );
  enabled?.write?.resolve(undefined);
  await enabled?.change;
  rotation?.write?.reject(new Error('the disk is full'));
  await t.throwsAsync(rotation?.change ?? Promise.resolve());
  t.deepEqual(
    stored().map((kept) => kept.secret),
    before.map((kept) => kept.secret),
  );
  await webhooks.close();
});

test('a webhook has at most 10 secrets that sign', async (t) => {
  const { webhooks, clock } = world();
  const { id } = await webhooks.create(ended);
  for (let count = 1; count < 10; count++) await webhooks.rotate(id);
  await t.throwsAsync(webhooks.rotate(id), { code: 'busy' });
  clock.time += 25 * 3_600_000;
  await t.notThrowsAsync(webhooks.rotate(id));
  await webhooks.close();
});

test('a webhook that was deleted gets nothing more', async (t) => {
  const { webhooks, store, add, deliveries } = world({ respond: () => ({ status: 500 }) });
  const { id } = await webhooks.create(ended);
  add('results');
  await eventually('there are deliveries', () => deliveries.length > 1);
  await webhooks.delete(id);
  const count = deliveries.length;
  add('results');
  await webhooks.close();
  t.true(deliveries.length <= count + 1);
  t.is(store.size, 0);
  for (const call of [webhooks.delete(id), webhooks.rotate(id), webhooks.enable(id)]) {
    await t.throwsAsync(call, { code: 'webhook_not_found' });
  }
});

test('there are at most 100 webhooks', async (t) => {
  const { webhooks } = world();
  const created = await Promise.allSettled(Array.from({ length: 101 }, () => webhooks.create(ended)));
  t.is(created.filter(({ status }) => status === 'fulfilled').length, 100);
  await t.throwsAsync(webhooks.create(ended), { code: 'busy' });
  await webhooks.close();
});
