import { PgpError } from './openpgp.ts';

/** A packet of OpenPGP (RFC 9580, section 4): its type, and its content. */
export interface RawPacket {
  readonly tag: number;
  readonly body: Uint8Array;
}

/** Splits data into packets. Throws {@link PgpError} with Helm's text at what is not a packet. */
export function* framePackets(data: Uint8Array): Generator<RawPacket, void> {
  let at = 0;
  while (at < data.length) {
    const first = data[at] ?? 0;
    if ((first & 0x80) === 0) throw new PgpError('structural', 'tag byte does not have MSB set');
    const isNew = (first & 0x40) !== 0;
    const { body, end } = isNew ? readChunks(data, at + 1) : readOldBody(data, at + 1, first & 3);
    yield { tag: isNew ? first & 0x3f : (first & 0x3f) >> 2, body };
    at = end;
  }
}

interface Body {
  readonly body: Uint8Array;
  readonly end: number;
}

/** Lengths of the old format have 1, 2 or 4 bytes; type 3 lasts until the end of the data. */
function readOldBody(data: Uint8Array, at: number, lengthType: number): Body {
  if (lengthType === 3) return { body: data.subarray(at), end: data.length };
  const start = at + 2 ** lengthType;
  return take(data, start, readNumber(data, at, start));
}

/** The new format has lengths of 1, 2 or 5 bytes, and chunks before the last one. */
function readChunks(data: Uint8Array, at: number): Body {
  const chunks: Uint8Array[] = [];
  for (let start = at; ;) {
    const first = readNumber(data, start, start + 1);
    if (first >= 224 && first < 255) {
      const { body, end } = take(data, start + 1, 2 ** (first & 0x1f));
      chunks.push(body);
      start = end;
      continue;
    }
    const last = readLastChunk(data, start, first);
    return chunks.length === 0 ? last : { body: new Uint8Array(Buffer.concat([...chunks, last.body])), end: last.end };
  }
}

function readLastChunk(data: Uint8Array, start: number, first: number): Body {
  if (first < 192) return take(data, start + 1, first);
  if (first < 224) return take(data, start + 2, (first - 192) * 256 + readNumber(data, start + 1, start + 2) + 192);
  return take(data, start + 5, readNumber(data, start + 1, start + 5));
}

function readNumber(data: Uint8Array, start: number, end: number): number {
  if (end > data.length) throw new PgpError('other', 'unexpected EOF');
  return data.subarray(start, end).reduce((number, byte) => number * 256 + byte, 0);
}

function take(data: Uint8Array, start: number, length: number): Body {
  const end = start + length;
  if (end > data.length) throw new PgpError('other', 'unexpected EOF');
  return { body: data.subarray(start, end), end };
}
