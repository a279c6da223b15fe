import { Buffer } from 'node:buffer';
import { charactersOf } from '../go/characters.ts';
import type { Host } from '../go/host.ts';
import { GoError, type GoFunction, type Int, int } from '../go/value.ts';
import { checkBytes, type FunctionLimits } from './limits.ts';
import type { FunctionFamily } from './support/family.ts';
import { type RandomSource, randomSource } from './support/random-source.ts';

const digits = '0123456789';
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const printable = String.fromCharCode(...Array.from({ length: 95 }, (_, i) => 32 + i));

/** Sprig's random strings and numbers. */
export function randomFunctions(host: Host, limits: FunctionLimits): FunctionFamily {
  const source = randomSource(host);
  const text = (alphabet: string): GoFunction => ({
    params: ['int'],
    call: (count: Int) => randomText(alphabet, Number(count.value), source, limits),
  });
  return {
    randAlphaNum: text(digits + letters),
    randAlpha: text(letters),
    randNumeric: text(digits),
    randAscii: text(printable),
    randBytes: {
      params: ['int'],
      call: (count: Int) => {
        if (count.value < 0n) throw new GoError('runtime error: makeslice: len out of range');
        checkBytes(Number(count.value), limits);
        return Buffer.from(source.bytes(Number(count.value))).toString('base64');
      },
    },
    randInt: {
      params: ['int', 'int'],
      call: (min: Int, max: Int) => {
        const range = int(max.value - min.value).value;
        if (range <= 0n) throw new GoError('invalid argument to Intn');
        return int(source.below(range) + min.value);
      },
    },
    shuffle: { params: ['string'], call: (characters: string) => shuffle(charactersOf(characters), source).join('') },
    uuidv4: { params: [], call: () => uuid(source) },
  };
}

function randomText(alphabet: string, count: number, source: RandomSource, limits: FunctionLimits): string {
  checkBytes(count, limits);
  const size = BigInt(alphabet.length);
  let text = '';
  for (let i = 0; i < count; i++) text += alphabet.charAt(Number(source.below(size)));
  return text;
}

function shuffle(characters: string[], source: RandomSource): string[] {
  const pool = [...characters];
  const shuffled: string[] = [];
  while (pool.length > 0) {
    const at = Number(source.below(BigInt(pool.length)));
    const last = pool.pop() ?? '';
    // the last character takes the place of the drawn one
    shuffled.push(at === pool.length ? last : (pool[at] ?? ''));
    if (at < pool.length) pool[at] = last;
  }
  return shuffled;
}

/** Returns a version 4 UUID (RFC 4122). */
function uuid(source: RandomSource): string {
  const bytes = Buffer.from(source.bytes(16));
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
