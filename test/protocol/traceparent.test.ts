import test, { type ExecutionContext } from 'ava';
import { decodePacket } from '../../src/protocol/packet.ts';
import { readTraceparent } from '../../src/protocol/traceparent.ts';

const trace = '0af7651916cd43dd8448eb211c80319c';
const valid = `00-${trace}-b7ad6b7169203331-01`;

const refused = test.macro((t: ExecutionContext, given: unknown) => {
  t.is(readTraceparent(given), undefined);
  const packet = decodePacket(JSON.stringify({ type: 'install_release', traceparent: given }));
  t.deepEqual(packet, { type: 'install_release' }, 'the command is performed without it');
});

test('a traceparent names a span', (t) => {
  t.is(readTraceparent(valid), valid);
  t.is(decodePacket(JSON.stringify({ type: 'a', traceparent: valid })).traceparent, valid);
});
test('a version that is not known has the same fields', (t) =>
  t.is(readTraceparent(`cc${valid.slice(2)}`)?.length, 55));
test('not a text', refused, 1);
test('null', refused, null);
test('a list, as of a header that was sent twice', refused, [valid, valid]);
test('two in one text', refused, `${valid}, ${valid}`);
test('capital letters', refused, valid.toUpperCase());
test('no trace', refused, `00-${'0'.repeat(32)}-b7ad6b7169203331-01`);
test('no span', refused, `00-${trace}-${'0'.repeat(16)}-01`);
test('the version ff', refused, `ff${valid.slice(2)}`);
test('a line break at the end', refused, `${valid}\n`);
test('a header of its own in the text', refused, `${valid}\r\nx: y`);
test('a long text', refused, '0'.repeat(1_000_000));
test('a deep value', refused, { a: { b: [valid] } });
