import { PgpError } from './openpgp.ts';

const start = '-----BEGIN ';
const end = '-----END ';
const mostLineBytes = 96;

/**
 * Returns the data of the first block in a text, undefined if there is none (go-crypto:
 * armor.Decode). The checksum is not compared. Throws {@link PgpError} with Helm's text if the
 * block is malformed.
 */
export function dearmor(text: string): Uint8Array | undefined {
  const lines = text.split('\n').map((line) => line.trim());
  for (let i = 0; i < lines.length; i++) {
    if (!isStart(lines[i] ?? '')) continue;
    i++;
    while (lines[i]?.includes(':')) i++; // headers
    if (lines[i] === '') return decodeLines(lines.slice(i + 1));
  }
  return undefined;
}

function isStart(line: string): boolean {
  return line.startsWith(start) && line.length > start.length + '-----'.length;
}

function decodeLines(lines: readonly string[]): Uint8Array {
  const last = lines.findIndex((line) => line.startsWith(end) || (line.length === 5 && line.startsWith('=')));
  const body = lines.slice(0, last < 0 ? undefined : last);
  if (body.some((line) => line.length > mostLineBytes)) throw new PgpError('structural', 'armor invalid');
  const base64 = body.join('');
  const wrong = /[^A-Za-z0-9+/]/.exec(base64.replace(/={0,2}$/, ''));
  if (wrong !== null) throw new PgpError('other', `illegal base64 data at input byte ${wrong.index}`);
  if (base64.length % 4 !== 0) throw new PgpError('other', 'unexpected EOF');
  return Uint8Array.from(Buffer.from(base64, 'base64'));
}

/** Writes a signature as a block of text, without a checksum or a line break at its end. */
export function armorSignature(data: Uint8Array): string {
  const lines =
    Buffer.from(data)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return ['-----BEGIN PGP SIGNATURE-----', '', ...lines, '-----END PGP SIGNATURE-----'].join('\n');
}
