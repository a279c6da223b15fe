import test from 'ava';
import { armorSignature } from '../../../src/source/provenance/armor.ts';
import { parseClearsigned, signedPart, writeClearsigned } from '../../../src/source/provenance/clearsigned-message.ts';
import fc from '../../support/fast-check.ts';

const signature = Uint8Array.from({ length: 100 }, (_, i) => i);
const block = armorSignature(signature);

function parse(text: string) {
  const message = parseClearsigned(Buffer.from(text));
  return message && { ...message, text: message.text.toString(), signed: message.signed.toString() };
}

test('lines that start with a hyphen are escaped, and blanks at the ends of lines are dropped', (t) => {
  const text = 'a  \n- b\n--\n\tc\t \n\n';
  const written = writeClearsigned(text, 'SHA512', block);
  t.is(written, `-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\na\n- - b\n- --\n\tc\n\n\n${block}`);
  t.deepEqual(parse(written), { text: 'a\n- b\n--\n\tc\n\n', signed: 'a\r\n- b\r\n--\r\n\tc\r\n\r\n', signature });
});

test('what is written is read again, with the text that was signed', (t) => {
  const line = fc.stringMatching(/^[ \t\r\-a-zé.]{0,12}$/);
  const lines = fc.array(line, { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(lines, (parts) => {
      const text = parts.join('\n');
      t.is(parse(writeClearsigned(text, 'SHA512', block))?.signed, signedPart(text));
    }),
  );
});

test('text around the message and line ends of Windows change nothing', (t) => {
  const message = writeClearsigned('a: 1\n', 'SHA512', block);
  const expected = parse(message);
  t.truthy(expected);
  t.deepEqual(parse(`before\n${message}\nafter`), expected);
  t.deepEqual(parse(message.replaceAll('\n', '\r\n')), expected);
  t.deepEqual(parse(message.replace('Hash: SHA512\n', '')), expected);
  t.deepEqual(parse(message.replace('-----END', '=abcd\n-----END')), expected);
  t.deepEqual(parse(message.replace('SIGNATURE-----\n', 'SIGNATURE-----\nVersion: 1\n')), expected);
});

const refuses = test.macro({
  title: (_, what: string) => `a message ${what} is not one`,
  exec(t, _: string, change: (message: string) => string) {
    t.is(parse(change(writeClearsigned('a: 1\n', 'SHA512', block))), undefined);
  },
});

test(refuses, 'with another header', (message) => message.replace('Hash:', 'Other: a\nHash:'));
test(refuses, 'with an unknown hash', (message) => message.replace('SHA512', 'SHA513'));
test(refuses, 'without an end', (message) => message.replace('-----END PGP SIGNATURE-----', ''));
test(refuses, 'without a signature', (message) => message.replace(block, ''));
test(refuses, 'with a word after its start', (message) => message.replace('MESSAGE-----', 'MESSAGE----- a'));
test(refuses, 'that is indented', (message) => ` ${message}`);

test('a signature that is not base64 is an error', (t) => {
  const message = writeClearsigned('a: 1\n', 'SHA512', block);
  t.throws(() => parse(message.replace('AAEC', 'AA!C')), { message: 'illegal base64 data at input byte 2' });
  t.throws(() => parse(message.replace('AAEC', 'AAEC'.repeat(20))), {
    message: 'openpgp: invalid data: armor invalid',
  });
});

test('a million blanks in a line take no longer than other text', (t) => {
  const message = writeClearsigned(`${' '.repeat(1_000_000)}a\n`, 'SHA512', block);
  t.is(parse(message)?.text.length, 1_000_002);
});
