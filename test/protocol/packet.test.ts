import test from 'ava';
import { decodePacket, encodePacket, type Packet, PacketError } from '../../src/protocol/packet.ts';
import fc from '../support/fast-check.ts';

const reads = test.macro({
  exec: (t, text: string, expected: Packet) => t.deepEqual(decodePacket(text), expected),
  title: (name) => `reads a packet ${name ?? ''}`,
});

test('with all three fields', reads, '{"key":"k","type":"list_releases","payload":"{}"}', {
  key: 'k',
  type: 'list_releases',
  payload: '{}',
});
test('without key and payload', reads, '{"type":"list_releases"}', { type: 'list_releases' });
test('with an empty key and payload as one without them', reads, '{"key":"","type":"x","payload":""}', { type: 'x' });
test('with nulls as one without them', reads, '{"key":null,"type":"x","payload":null}', { type: 'x' });
test('with unknown fields', reads, '{"type":"x","group":1}', { type: 'x' });

const refuses = test.macro({
  exec: (t, text: string, message: string, key?: string, type?: string) => {
    const error = t.throws(() => decodePacket(text), { instanceOf: PacketError, message });
    t.is(error.code, 'bad_packet');
    t.is(error.key, key);
    t.is(error.type, type);
  },
  title: (name) => `rejects ${name ?? ''}`,
});

test('text that is not JSON', refuses, 'secret{', 'packet: must be JSON text');
test('an empty frame', refuses, '', 'packet: must be JSON text');
test('a JSON list', refuses, '[]', 'packet: the frame must be an object');
test('JSON null', refuses, 'null', 'packet: the frame must be an object');
test('a packet without type, with its key', refuses, '{"key":"k"}', 'packet: type is required', 'k');
test('a packet with an empty type', refuses, '{"key":"k","type":""}', 'packet: type must not be empty', 'k', '');
test('a packet whose type is a number', refuses, '{"type":1}', 'packet: type must be a string');
test(
  'a payload that is an object instead of JSON text',
  refuses,
  '{"key":"k","type":"x","payload":{}}',
  'packet: payload must be a string',
  'k',
  'x',
);
test(
  'a key that is too long',
  refuses,
  JSON.stringify({ key: 'k'.repeat(257), type: 'x' }),
  'packet: key must have at most 256 characters, but has 257',
  undefined,
  'x',
);

test('reads a packet as it was written', (t) => {
  const text = fc.string({ minLength: 1, maxLength: 50 });
  const packets = fc.record({ key: text, type: text, payload: text }, { requiredKeys: ['type'] });
  t.notThrows(() =>
    fc.assert(fc.property(packets, (packet) => t.deepEqual(decodePacket(encodePacket(packet)), { ...packet }))),
  );
});

test('throws nothing but PacketError for any text', (t) => {
  const texts = fc.oneof(fc.string(), fc.json());
  t.notThrows(() =>
    fc.assert(
      fc.property(texts, (text) => {
        try {
          decodePacket(text);
        } catch (error) {
          return error instanceof PacketError;
        }
        return true;
      }),
    ),
  );
});
