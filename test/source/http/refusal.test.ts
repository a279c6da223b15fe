import { Readable } from 'node:stream';
import test from 'ava';
import { refusalOf } from '../../../src/source/http/refusal.ts';

const says = test.macro<[string, unknown, string]>({
  title: (_, what) => `${what} reads as in helm`,
  exec: async (t, _, response, text) =>
    t.is(await refusalOf(Readable.from([Buffer.from(JSON.stringify(response))])), text),
});
const denied = { code: 'DENIED', message: 'requested access to the resource is denied', detail: { secret: 'x' } };
test(says, 'a refusal', { errors: [denied] }, 'denied: requested access to the resource is denied');
test(says, 'a refusal without a message', { errors: [{ code: 'NAME_UNKNOWN' }] }, 'name unknown');
test(
  says,
  'a refusal for two reasons',
  {
    errors: [
      { code: 'DENIED', message: 'a' },
      { code: 'SIZE_INVALID', message: 'b' },
    ],
  },
  'denied: a; size invalid: b',
);
test(
  says,
  'a text with characters that steer a terminal',
  { errors: [{ code: 'DENIED', message: 'a\u001b[31m\nError: b\u202e' }] },
  'denied: a [31m Error: b ',
);
test(
  says,
  'the beginning of a long text',
  { errors: [{ code: 'DENIED', message: 'x'.repeat(10_000) }] },
  `denied: ${'x'.repeat(292)}…`,
);

const silent = test.macro<[string, unknown]>({
  title: (_, what) => `${what} says nothing`,
  exec: async (t, _, response) => t.is(await refusalOf(Readable.from([Buffer.from(JSON.stringify(response))])), ''),
});
test(silent, 'a refusal of another service', {
  errors: [{ code: 42, message: 'secret' }, { message: 'secret' }, null],
});
test(silent, 'a code in another form', { errors: [{ code: 'denied by secret', message: 'secret' }] });
test(silent, 'a list', [denied]);
test(silent, 'a text', 'denied');
test(silent, 'an object without errors', { errors: { 0: denied } });
test(silent, 'no object', null);

test('a refusal that is too long is not read to its end', async (t) => {
  let chunks = 0;
  const endless = Readable.from(
    (function* () {
      for (;;) {
        chunks++;
        yield Buffer.alloc(1024, 32);
      }
    })(),
  );
  t.is(await refusalOf(endless), '');
  t.true(chunks < 100);
  t.true(endless.destroyed);
});

test('a refusal that breaks off says nothing', async (t) => {
  const broken = new Readable({ read: () => broken.destroy(new Error('reset')) });
  t.is(await refusalOf(broken), '');
});

test('a refusal that does not end in time says nothing', async (t) => {
  const slow = new Readable({ read: () => undefined });
  slow.push('{"errors":[');
  t.is(await refusalOf(slow, 10), '');
  t.true(slow.destroyed);
});
