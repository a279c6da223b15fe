import { Buffer } from 'node:buffer';
import { GoError } from '../../go/value.ts';
import { decodeBase64 } from '../support/base64.ts';

/** A block of PEM: what stands between its BEGIN and END. */
export interface PemBlock {
  readonly type: string;
  readonly der: Uint8Array;
}

/** Writes PEM as Go does, in lines of 64 characters. */
export function encodePem({ type, der }: PemBlock): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${type}-----`, ...lines, `-----END ${type}-----`, ''].join('\n');
}

const block =
  /(?:^|\n)-----BEGIN ([^\n]*?)-----[\t\r ]*\n((?:[^\n:]+:[^\n]*\n)*)([^-]*)-----END ([^\n]*?)-----[\t\r ]*(?=\n|$)/g;

/** The first block of PEM in a text. */
export function decodePem(text: string): PemBlock | undefined {
  for (const [, type = '', , body = '', endType] of text.matchAll(block)) {
    if (type !== endType) continue;
    try {
      return { type, der: decodeBase64(body.replaceAll(/[\t\r\n ]/g, '')) };
    } catch (error) {
      if (!(error instanceof GoError)) throw error;
    }
  }
  return undefined;
}
