import { Buffer } from 'node:buffer';
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { BitString, fromBER, Integer, OctetString, Sequence } from 'asn1js';
import { GoError } from '../go/value.ts';
import { decodePem, encodePem } from './pem.ts';

/** Generates an RSA key. node:crypto uses its own randomness; it cannot be injected. */
export function generateRsaKey(bits: number): KeyObject {
  return generateKeyPairSync('rsa', { modulusLength: bits }).privateKey;
}

/**
 * Generates a key of a type that Sprig's `genPrivateKey` supports. Returns undefined for any other
 * type.
 */
export function generateKey(kind: string): KeyObject | undefined {
  switch (kind) {
    case '':
    case 'rsa':
      return generateRsaKey(4096);
    case 'dsa':
      return generateKeyPairSync('dsa', { modulusLength: 2048, divisorLength: 256 }).privateKey;
    case 'ecdsa':
      return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    case 'ed25519':
      return generateKeyPairSync('ed25519').privateKey;
    default:
      return undefined;
  }
}

/** Encodes a key in the oldest PEM format of its type, as Sprig does. */
export function keyToPem(key: KeyObject): string {
  switch (key.asymmetricKeyType) {
    case 'rsa':
      return encodePem({ type: 'RSA PRIVATE KEY', der: key.export({ type: 'pkcs1', format: 'der' }) });
    case 'ec':
      return encodePem({ type: 'EC PRIVATE KEY', der: key.export({ type: 'sec1', format: 'der' }) });
    case 'dsa':
      return encodePem({ type: 'DSA PRIVATE KEY', der: dsaKeyToDer(key) });
    default:
      return encodePem({ type: 'PRIVATE KEY', der: key.export({ type: 'pkcs8', format: 'der' }) });
  }
}

interface KeyForm {
  readonly der: 'pkcs1' | 'sec1' | 'pkcs8' | 'pem';
  readonly problem: string;
}

const forms: ReadonlyMap<string, KeyForm> = new Map<string, KeyForm>([
  ['PRIVATE KEY', { der: 'pkcs8', problem: 'decoding PEM as PKCS#8: ' }],
  ['RSA PRIVATE KEY', { der: 'pkcs1', problem: 'parsing RSA private key from PEM: ' }],
  [
    'EC PRIVATE KEY',
    { der: 'sec1', problem: 'parsing EC private key from PEM: x509: failed to parse EC private key: ' },
  ],
  ['DSA PRIVATE KEY', { der: 'pem', problem: 'parsing DSA private key from PEM: ' }],
]);

/** Parses a PEM key. Throws Sprig's error if it is invalid. */
export function keyFromPem(text: string): KeyObject {
  const block = decodePem(text);
  if (block === undefined) throw new GoError('no PEM data in input');
  const form = forms.get(block.type);
  if (form === undefined) {
    const isKey = block.type.endsWith(' PRIVATE KEY');
    throw new GoError(
      isKey ? `invalid private key type ${block.type}` : `no private key data in PEM block of type ${block.type}`,
    );
  }
  try {
    return form.der === 'pem'
      ? createPrivateKey(encodePem(block))
      : createPrivateKey({ key: Buffer.from(block.der), format: 'der', type: form.der });
  } catch {
    // OpenSSL's message differs from Go's and says no more
    throw new GoError(`${form.problem}${asn1Problem(block.der)}`);
  }
}

function asn1Problem(der: Uint8Array): string {
  const first = fromBER(der);
  return first.offset < 0 ? 'asn1: syntax error: truncated tag or length' : 'asn1: structure error: not a private key';
}

/** Encodes version, p, q, g, y and x as OpenSSL does; node:crypto has no such export. */
function dsaKeyToDer(key: KeyObject): Uint8Array {
  const { algorithm, body } = parameters(key.export({ type: 'pkcs8', format: 'der' }), 1);
  const spki = parameters(createPublicKey(key).export({ type: 'spki', format: 'der' }), 0);
  const x = body instanceof OctetString ? fromBER(body.valueBlock.valueHexView).result : undefined;
  const y = spki.body instanceof BitString ? fromBER(spki.body.valueBlock.valueHexView).result : undefined;
  if (x === undefined || y === undefined) throw new GoError('failed to generate private key: not a DSA key');
  return new Uint8Array(
    new Sequence({ value: [new Integer({ value: 0 }), ...algorithm.valueBlock.value, y, x] }).toBER(),
  );
}

/** Returns the algorithm parameters and the element after them. The algorithm is at `index`. */
function parameters(der: Uint8Array, index: number): { algorithm: Sequence; body: unknown } {
  const { result } = fromBER(der);
  const parts = result instanceof Sequence ? result.valueBlock.value : [];
  const identifier = parts[index];
  const algorithm = identifier instanceof Sequence ? identifier.valueBlock.value[1] : undefined;
  if (!(algorithm instanceof Sequence)) throw new GoError('failed to generate private key: not a DSA key');
  return { algorithm, body: parts[index + 1] };
}
