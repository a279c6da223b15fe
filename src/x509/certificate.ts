import { Buffer } from 'node:buffer';
import { createHash, createPublicKey, type KeyObject, sign } from 'node:crypto';
import {
  type BaseBlock,
  BitString,
  Constructed,
  fromBER,
  GeneralizedTime,
  Integer,
  Null,
  ObjectIdentifier,
  OctetString,
  PrintableString,
  Sequence,
  Set as Asn1Set,
  UTCTime,
  Utf8String,
} from 'asn1js';
import { GoError } from '../go/value.ts';
import { extensions } from './extensions.ts';

/** Contents of a certificate. */
export interface CertificateRequest {
  readonly serialNumber: bigint;
  readonly commonName: string;
  readonly isAuthority: boolean;
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly Uint8Array[];
  /** Milliseconds since 1970. */
  readonly notBefore: number;
  /** Milliseconds since 1970. */
  readonly notAfter: number;
  readonly key: KeyObject;
}

/** Issuer of a certificate. */
export interface Signer {
  readonly key: KeyObject;
  /** The issuer's certificate (DER). Default: the certificate is self-signed. */
  readonly certificate?: Uint8Array;
}

const subjectKeyIdentifier = '2.5.29.14';

/** Creates an X.509 certificate (DER) with the layout of Go's `x509.CreateCertificate`. */
export function createCertificate(request: CertificateRequest, signer: Signer): Uint8Array {
  const algorithm = signatureAlgorithm(signer.key);
  const subject = distinguishedName(request.commonName);
  const parent = signer.certificate === undefined ? undefined : readCertificate(signer.certificate);
  if (parent !== undefined && !parent.publicKey.equals(createPublicKey(signer.key))) {
    throw new GoError("x509: provided PrivateKey doesn't match parent's PublicKey");
  }
  const issuer = parent?.subject ?? subject;
  const publicKey = decoded(createPublicKey(request.key).export({ type: 'spki', format: 'der' }));
  const toBeSigned = new Sequence({
    value: [
      new Constructed({ idBlock: { tagClass: 3, tagNumber: 0 }, value: [new Integer({ value: 2 })] }),
      Integer.fromBigInt(request.serialNumber),
      algorithm.identifier,
      issuer,
      new Sequence({ value: [time(request.notBefore), time(request.notAfter)] }),
      subject,
      publicKey,
      new Constructed({
        idBlock: { tagClass: 3, tagNumber: 3 },
        value: [
          extensions({
            ...request,
            subjectKeyId: request.isAuthority ? keyIdentifier(publicKey) : undefined,
            authorityKeyId: equalDer(issuer, subject) ? undefined : parent?.subjectKeyId,
            subjectIsEmpty: request.commonName === '',
          }),
        ],
      }),
    ],
  });
  const signature = sign(algorithm.hash, new Uint8Array(toBeSigned.toBER()), signer.key);
  const certificate = new Sequence({
    value: [toBeSigned, algorithm.identifier, new BitString({ valueHex: new Uint8Array(signature) })],
  });
  return new Uint8Array(certificate.toBER());
}

interface SignatureAlgorithm {
  readonly identifier: Sequence;
  readonly hash: string | null;
}

const curveAlgorithms: ReadonlyMap<string | undefined, readonly [string, string]> = new Map([
  ['secp224r1', ['1.2.840.10045.4.3.2', 'sha256']],
  ['prime256v1', ['1.2.840.10045.4.3.2', 'sha256']],
  ['secp384r1', ['1.2.840.10045.4.3.3', 'sha384']],
  ['secp521r1', ['1.2.840.10045.4.3.4', 'sha512']],
]);

function signatureAlgorithm(key: KeyObject): SignatureAlgorithm {
  const identifier = (id: string, ...parameters: BaseBlock[]): Sequence =>
    new Sequence({ value: [new ObjectIdentifier({ value: id }), ...parameters] });
  switch (key.asymmetricKeyType) {
    case 'rsa':
      return { identifier: identifier('1.2.840.113549.1.1.11', new Null()), hash: 'sha256' };
    case 'ed25519':
      return { identifier: identifier('1.3.101.112'), hash: null };
    case 'ec': {
      const known = curveAlgorithms.get(key.asymmetricKeyDetails?.namedCurve);
      if (known === undefined) throw new GoError('x509: unsupported elliptic curve');
      return { identifier: identifier(known[0]), hash: known[1] };
    }
    default:
      throw new GoError('x509: certificate private key does not implement crypto.Signer');
  }
}

/** Years from 2050 on need a GeneralizedTime, which has four digits for the year. */
function time(milliseconds: number): BaseBlock {
  const valueDate = new Date(Math.floor(milliseconds / 1000) * 1000);
  const year = valueDate.getUTCFullYear();
  if (year < 0 || year > 9999) throw new GoError('asn1: structure error: cannot represent time as GeneralizedTime');
  return year >= 1950 && year < 2050 ? new UTCTime({ valueDate }) : new GeneralizedTime({ valueDate });
}

/** Returns the first 160 bits of the public key's SHA-256 (RFC 7093, method 1). */
function keyIdentifier(publicKey: BaseBlock): Uint8Array {
  const bits = publicKey instanceof Sequence ? publicKey.valueBlock.value[1] : undefined;
  const key = bits instanceof BitString ? bits.valueBlock.valueHexView : new Uint8Array();
  return new Uint8Array(createHash('sha256').update(key).digest().subarray(0, 20));
}

interface ParentFacts {
  readonly subject: BaseBlock;
  readonly publicKey: KeyObject;
  readonly subjectKeyId: Uint8Array | undefined;
}

/** Reads the fields needed from an issuer's certificate. Throws Go's error if it is malformed. */
export function readCertificate(der: Uint8Array): ParentFacts {
  const [toBeSigned] = children(decoded(der), 'x509: malformed certificate');
  if (toBeSigned === undefined) throw new GoError('x509: malformed tbs certificate');
  const fields = children(toBeSigned, 'x509: malformed tbs certificate').filter((field) => !isTagged(field, 0));
  const [serial, , , , subject, publicKey, ...optional] = fields;
  if (!(serial instanceof Integer)) throw new GoError('x509: malformed serial number');
  if (subject === undefined || publicKey === undefined) throw new GoError('x509: malformed subject public key info');
  return { subject, publicKey: keyOf(publicKey), subjectKeyId: subjectKeyIdOf(optional) };
}

function keyOf(publicKey: BaseBlock): KeyObject {
  try {
    return createPublicKey({ key: Buffer.from(publicKey.toBER()), format: 'der', type: 'spki' });
  } catch {
    throw new GoError('x509: malformed subject public key info');
  }
}

function subjectKeyIdOf(optional: readonly BaseBlock[]): Uint8Array | undefined {
  const tagged = optional.find((field) => isTagged(field, 3));
  const [list] = tagged instanceof Constructed ? tagged.valueBlock.value : [];
  const found = (list instanceof Sequence ? list.valueBlock.value : []).find((extension) => {
    const [id] = extension instanceof Sequence ? extension.valueBlock.value : [];
    return id instanceof ObjectIdentifier && id.getValue() === subjectKeyIdentifier;
  });
  const value = found instanceof Sequence ? found.valueBlock.value.at(-1) : undefined;
  if (!(value instanceof OctetString)) return undefined;
  const identifier = decoded(value.valueBlock.valueHexView);
  return identifier instanceof OctetString ? new Uint8Array(identifier.valueBlock.valueHexView) : undefined;
}

function decoded(der: Uint8Array): BaseBlock {
  const { result, offset } = fromBER(der);
  if (offset < 0) throw new GoError('x509: malformed certificate');
  return result;
}

function children(block: BaseBlock, problem: string): readonly BaseBlock[] {
  if (block instanceof Sequence) return block.valueBlock.value;
  throw new GoError(problem);
}

function isTagged(block: BaseBlock, tagNumber: number): boolean {
  return block.idBlock.tagClass === 3 && block.idBlock.tagNumber === tagNumber;
}

function equalDer(a: BaseBlock, b: BaseBlock): boolean {
  return Buffer.from(a.toBER()).equals(Buffer.from(b.toBER()));
}

const commonNameId = '2.5.4.3';

/** Returns a distinguished name with only a common name; an empty name has no attributes. */
function distinguishedName(commonName: string): Sequence {
  if (commonName === '') return new Sequence();
  if (!commonName.isWellFormed()) throw new GoError('asn1: string not valid UTF-8');
  const printable = /^[A-Za-z0-9 '()+,\-./:=?]*$/.test(commonName);
  const value = printable ? new PrintableString({ value: commonName }) : new Utf8String({ value: commonName });
  const attribute = new Sequence({ value: [new ObjectIdentifier({ value: commonNameId }), value] });
  return new Sequence({ value: [new Asn1Set({ value: [attribute] })] });
}
