import test from 'ava';
import { seal } from '../../src/sealing/sealed-text.ts';
import { SealingKeys, type SealingKeyStore } from '../../src/sealing/sealing-keys.ts';

const place = { namespace: 'shop', releaseName: 'web', purpose: 'values' } as const;
const agentId = 'edge-1';
const day = 24 * 3_600_000;

function memoryStore() {
  const kept: { text: string | undefined; version: number } = { text: undefined, version: 0 };
  const store: SealingKeyStore = {
    name: 'the Secret a/b',
    read: () =>
      Promise.resolve(kept.text === undefined ? undefined : { text: kept.text, version: String(kept.version) }),
    write(text, version) {
      if ((kept.text === undefined ? undefined : String(kept.version)) !== version) return Promise.resolve(false);
      kept.text = text;
      kept.version++;
      return Promise.resolve(true);
    },
  };
  return { kept, store };
}

test('a key is made when someone asks for it, once for all processes', async (t) => {
  const { store, kept } = memoryStore();
  const newKeys = () => new SealingKeys({ agentId, store, now: () => 7 });
  const [one, other] = [newKeys(), newKeys()];
  const sealed = await seal(
    'a: 1',
    (await new SealingKeys({ agentId, ...memoryStore(), now: () => 0 }).publicKey()).key,
    {
      ...{ ...place, agentId },
    },
  );
  await t.throwsAsync(one.open(sealed, place), { code: 'sealed_invalid', message: /which this agent does not have/ });
  t.is(kept.text, undefined);
  const [first, second] = await Promise.all([one.publicKey(), other.publicKey()]);
  t.deepEqual(first, second);
  t.is(first.createdAt, 7);
  t.is(kept.version, 1);
});

test('a key that was replaced opens texts until the next one is replaced', async (t) => {
  const { store } = memoryStore();
  const clock = { now: 0 };
  const keys = new SealingKeys({ agentId, store, rotateAfterMs: 30 * day, now: () => clock.now });
  const sealNow = async () => {
    const { key } = await keys.publicKey();
    return await seal('a: 1', key, { ...place, agentId });
  };
  const first = await sealNow();
  clock.now = 30 * day;
  const second = await sealNow();
  t.not(first.keyId, second.keyId);
  t.is((await keys.publicKey()).previousId, first.keyId);
  for (const sealed of [first, second]) t.is(await keys.open(sealed, place), 'a: 1');
  clock.now = 60 * day;
  const third = await sealNow();
  for (const sealed of [second, third]) t.is(await keys.open(sealed, place), 'a: 1');
  await t.throwsAsync(keys.open(first, place), { code: 'sealed_invalid', message: /or not any more/ });
  // a text of the newest key cannot be named as one of the key before
  const renamed = { ...third, keyId: second.keyId };
  await t.throwsAsync(keys.open(renamed, place), { code: 'sealed_invalid', message: /was changed/ });
});

test('a text for another agent is refused without a look at the keys', async (t) => {
  const keys = new SealingKeys({
    agentId,
    store: { ...memoryStore().store, read: () => Promise.reject(new Error('read')) },
    now: () => 0,
  });
  const { key } = await new SealingKeys({ agentId, ...memoryStore(), now: () => 0 }).publicKey();
  const sealed = await seal('a: 1', key, { ...place, agentId: 'edge-2' });
  await t.throwsAsync(keys.open(sealed, place), { code: 'sealed_invalid', message: /sealed for the agent edge-2/ });
});

test('keys that cannot be read are neither shown nor replaced', async (t) => {
  const { store, kept } = memoryStore();
  for (const text of ['', '{', '{"format":1,"key":{"d":"hunter2","x":"","createdAt":0}}', 'null']) {
    kept.text = text;
    const keys = new SealingKeys({ agentId, store, now: () => 0 });
    const error = await t.throwsAsync(keys.publicKey(), { code: 'sealed_invalid' });
    t.regex(error.message, /^the Secret a\/b has no sealing keys; restore it/);
    t.is(error.cause, undefined);
    t.is(kept.text, text);
  }
});

test('an agent gives up on keys that others change all the time', async (t) => {
  const keys = new SealingKeys({
    agentId,
    store: { ...memoryStore().store, write: () => Promise.resolve(false) },
    now: () => 0,
  });
  await t.throwsAsync(keys.publicKey(), { code: 'sealed_invalid', message: /is the id used twice/ });
});
