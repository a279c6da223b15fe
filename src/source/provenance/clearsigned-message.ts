import { dearmor } from './armor.ts';

/** A text with a signature of it (RFC 9580, section 7). */
export interface ClearsignedMessage {
  /** Lines end with `\n`, without one after the last line. */
  readonly text: Buffer;
  /** The text as it is signed: its lines end with `\r\n`. */
  readonly signed: Buffer;
  readonly signature: Uint8Array;
}

const start = '-----BEGIN PGP SIGNED MESSAGE-----';
const endOfText = '-----BEGIN PGP SIGNATURE-----';
const end = '\n-----END PGP SIGNATURE-----';
const hashNames = ['MD5', 'SHA1', 'RIPEMD160', 'SHA224', 'SHA256', 'SHA384', 'SHA512', 'SHA3-256', 'SHA3-512'];

/**
 * Returns the first clearsigned message in data, undefined if there is no valid one (go-crypto:
 * clearsign.Decode). Throws `PgpError` if its signature is not base64.
 */
export function parseClearsigned(data: Uint8Array): ClearsignedMessage | undefined {
  const all = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('latin1'); // a character is a byte
  const from = all.startsWith(start) ? 0 : all.indexOf(`\n${start}`) + 1;
  if (!all.startsWith(start, from)) return undefined;
  const [first = '', ...lines] = all
    .slice(from + start.length)
    .split('\n')
    .map(withoutReturn);
  const empty = lines.findIndex((line) => line.trim() === '');
  if (first !== '' || empty < 0 || !lines.slice(0, empty).every(isHashHeader)) return undefined;
  const content = lines.slice(empty + 1);
  const last = content.indexOf(endOfText);
  if (last <= 0) return undefined;
  const block = content.slice(last).join('\n');
  const endOfBlock = block.indexOf(end);
  const signature = endOfBlock < 0 ? undefined : dearmor(block.slice(0, endOfBlock + end.length));
  if (signature === undefined) return undefined;
  const text = content.slice(0, last).map((line) => withoutBlanks(line.replace(/^- /, ''), ' \t'));
  return { text: bytesOf(text.join('\n')), signed: bytesOf(text.join('\r\n')), signature };
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

/** Only this header is allowed; its value is not compared with the signature. */
function isHashHeader(line: string): boolean {
  const [, names] = /^ *Hash *:([\x20-\x7e]*)$/.exec(line) ?? [];
  return names?.split(',').every((name) => hashNames.includes(name.trim().toUpperCase())) ?? false;
}

function bytesOf(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}

/** Returns what is signed of a text: lines without blanks at their ends, separated by `\r\n`. */
export function signedPart(text: string): string {
  return text
    .split('\n')
    .map((line) => withoutBlanks(line, ' \t\r'))
    .join('\r\n');
}

/** Writes a text with its signature, which is a block of text. */
export function writeClearsigned(text: string, hash: string, signature: string): string {
  const lines = text.split('\n').map((line) => withoutBlanks(line, ' \t\r').replace(/^-/, '- -'));
  return `${start}\nHash: ${hash}\n\n${lines.join('\n')}\n${signature}`;
}

/** Removes blanks at the end of a line, in linear time. */
function withoutBlanks(line: string, blanks: string): string {
  let end = line.length;
  while (end > 0 && blanks.includes(line.charAt(end - 1))) end--;
  return line.slice(0, end);
}
