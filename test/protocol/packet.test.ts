import test from 'ava';
import fc from 'fast-check';
import { decodePacket, encodePacket, PacketError, type Packet } from '../../src/protocol/packet.ts';

const reads = test.macro({
  exec: (t, text: string, expected: Packet) => t.deepEqual(decodePacket(text), expected),
  title: (name) => `a packet ${name ?? ''}`,
});

test('with all three fields is read', reads, '{"key":"k","type":"list_releases","payload":"{}"}', {
  key: 'k',
  type: 'list_releases',
  payload: '{}',
});
test('without key and payload is read', reads, '{"type":"list_releases"}', { type: 'list_releases' });
test('whose key and payload are empty has none', reads, '{"key":"","type":"x","payload":""}', { type: 'x' });
test('with nulls has none', reads, '{"key":null,"type":"x","payload":null}', { type: 'x' });
test('with fields of another protocol is read', reads, '{"type":"x","group":1}', { type: 'x' });

const refuses = test.macro({
  exec: (t, text: string, message: string, key?: string, type?: string) => {
    const error = t.throws(() => decodePacket(text), { instanceOf: PacketError, message });
    t.is(error.code, 'bad_packet');
    t.is(error.key, key);
    t.is(error.type, type);
  },
  title: (name) => `refused is ${name ?? ''}`,
});

test('text that is not JSON', refuses, 'secret{', 'packet: not JSON');
test('an empty frame', refuses, '', 'packet: not JSON');
test('a JSON list', refuses, '[]', 'packet: not a JSON object');
test('JSON null', refuses, 'null', 'packet: not a JSON object');
test('a packet without type, with its key', refuses, '{"key":"k"}', 'packet: type is missing', 'k');
test('a packet of an empty type', refuses, '{"key":"k","type":""}', 'packet: type is missing', 'k', '');
test('a packet whose type is a number', refuses, '{"type":1}', 'packet: type is missing');
test(
  'a payload that is an object instead of JSON text',
  refuses,
  '{"key":"k","type":"x","payload":{}}',
  'packet: payload Invalid input: expected string, received object',
  'k',
  'x',
);
test(
  'a key that is too long',
  refuses,
  JSON.stringify({ key: 'k'.repeat(257), type: 'x' }),
  'packet: key is longer than 256 characters',
  undefined,
  'x',
);

test('a packet is read as it was written', (t) => {
  const text = fc.string({ minLength: 1, maxLength: 50 });
  const packets = fc.record({ key: text, type: text, payload: text }, { requiredKeys: ['type'] });
  fc.assert(fc.property(packets, (packet) => t.deepEqual(decodePacket(encodePacket(packet)), { ...packet })));
  t.pass();
});

test('whatever text arrives, only a PacketError comes out', (t) => {
  const texts = fc.oneof(fc.string(), fc.json());
  fc.assert(
    fc.property(texts, (text) => {
      try {
        decodePacket(text);
      } catch (error) {
        return error instanceof PacketError;
      }
      return true;
    }),
  );
  t.pass();
});
