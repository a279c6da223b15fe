import { Buffer } from 'node:buffer';

/** A PEM block: its label and its contents. */
export interface PemBlock {
  readonly type: string;
  readonly der: Uint8Array;
}

/** Encodes PEM as Go does, with lines of 64 characters. */
export function encodePem({ type, der }: PemBlock): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${type}-----`, ...lines, `-----END ${type}-----`, ''].join('\n');
}

// The headers are found in one go and not given back, so that a text takes linear time.
const block =
  /(?:^|\n)-----BEGIN ([^\n]*?)-----[\t\r ]*\n(?=((?:[^\n:]+:[^\n]*\n)*))\2([^-]*)-----END ([^\n]*?)-----[\t\r ]*(?=\n|$)/g;

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Returns the first valid PEM block in a text, if any. */
export function decodePem(text: string): PemBlock | undefined {
  for (const [, type = '', , body = '', endType] of text.matchAll(block)) {
    const digits = body.replaceAll(/[\t\r\n ]/g, '');
    if (type === endType && base64.test(digits)) return { type, der: new Uint8Array(Buffer.from(digits, 'base64')) };
  }
  return undefined;
}
