import type { KeyObject } from 'node:crypto';
import { format } from '../go/fmt.ts';
import type { Host } from '../go/host.ts';
import { fromBytes } from '../go/text.ts';
import { GoError, GoObject, type Int, type Value } from '../go/value.ts';
import {
  type CertificateRequest,
  createCertificate,
  decodePem,
  encodePem,
  generateKey,
  generateRsaKey,
  ipAddressBytes,
  keyFromPem,
  keyToPem,
  readCertificate,
  type Signer,
} from '../x509/index.ts';
import { decodeBase64 } from './support/base64.ts';
import type { FunctionFamily } from './support/family.ts';
import { randomSource } from './support/random-source.ts';
import { recover, withContext } from './support/recover.ts';

const generatedKeyBits = 2048;
const nanosecondsPerDay = 86_400_000_000_000n;
const nanosecondsPerMillisecond = 1_000_000n;
const certificateType = 'sprig.certificate';
const subjectParams = ['string', '[]interface {}', '[]interface {}', 'int'] as const;

/** Sprig's `certificate` struct: a certificate and its key, both PEM. */
class Certificate extends GoObject {
  readonly goType = certificateType;
  readonly kind = 'struct';
  readonly certificate: string;
  readonly key: string;

  constructor(certificate: string, key: string) {
    super();
    this.certificate = certificate;
    this.key = key;
  }

  override fields(): readonly string[] {
    return ['Cert', 'Key'];
  }

  override field(name: string): Value | undefined {
    return name === 'Cert' ? this.certificate : name === 'Key' ? this.key : undefined;
  }
}

/** Subject of a certificate. */
interface Subject {
  readonly commonName: string;
  readonly ips: readonly Value[];
  readonly dnsNames: readonly Value[];
}

/**
 * Sprig's certificates and keys. Times and serial numbers come from the host; node:crypto generates
 * the keys.
 */
export function certificateFunctions(host: Host): FunctionFamily {
  const source = randomSource(host);

  const issue = (subject: Subject, days: Int, key: KeyObject, isAuthority: boolean, signer: Signer): Certificate => {
    const now = host.now();
    const request: CertificateRequest = {
      commonName: subject.commonName,
      ipAddresses: subject.ips.map(ipAddress),
      dnsNames: subject.dnsNames.map(dnsName),
      serialNumber: source.below(1n << 128n),
      notBefore: milliseconds(now),
      notAfter: milliseconds(now + BigInt.asIntN(64, nanosecondsPerDay * days.value)),
      isAuthority,
      key,
    };
    const der = withContext('error creating certificate', () => createCertificate(request, signer));
    return new Certificate(encodePem({ type: 'CERTIFICATE', der }), keyToPem(key));
  };
  const authority = (commonName: string, days: Int, key: KeyObject): Certificate =>
    issue({ commonName, ips: [], dnsNames: [] }, days, key, true, { key });
  const selfSigned = (subject: Subject, days: Int, key: KeyObject): Certificate =>
    issue(subject, days, key, false, { key });
  const signed = (subject: Subject, days: Int, ca: Certificate, key: KeyObject): Certificate =>
    issue(subject, days, key, false, signerOf(ca));

  return {
    genPrivateKey: { params: ['string'], call: genPrivateKey },
    buildCustomCert: { params: ['string', 'string'], call: buildCustomCert },
    genCA: {
      params: ['string', 'int'],
      call: (commonName: string, days: Int) => authority(commonName, days, generateRsaKey(generatedKeyBits)),
    },
    genCAWithKey: {
      params: ['string', 'int', 'string'],
      call: (commonName: string, days: Int, pem: string) => authority(commonName, days, parseKey(pem)),
    },
    genSelfSignedCert: {
      params: subjectParams,
      call: (commonName: string, ips: readonly Value[], dnsNames: readonly Value[], days: Int) =>
        selfSigned({ commonName, ips, dnsNames }, days, generateRsaKey(generatedKeyBits)),
    },
    genSelfSignedCertWithKey: {
      params: [...subjectParams, 'string'],
      call: (commonName: string, ips: readonly Value[], dnsNames: readonly Value[], days: Int, pem: string) =>
        selfSigned({ commonName, ips, dnsNames }, days, parseKey(pem)),
    },
    genSignedCert: {
      params: [...subjectParams, certificateType],
      call: (commonName: string, ips: readonly Value[], dnsNames: readonly Value[], days: Int, ca: Certificate) =>
        signed({ commonName, ips, dnsNames }, days, ca, generateRsaKey(generatedKeyBits)),
    },
    genSignedCertWithKey: {
      params: [...subjectParams, certificateType, 'string'],
      call: (
        commonName: string,
        ips: readonly Value[],
        dnsNames: readonly Value[],
        days: Int,
        ca: Certificate,
        pem: string,
      ) => signed({ commonName, ips, dnsNames }, days, ca, parseKey(pem)),
    },
  };
}

function milliseconds(nanoseconds: bigint): number {
  return Number(nanoseconds / nanosecondsPerMillisecond);
}

function parseKey(pem: string): KeyObject {
  return withContext('parsing private key', () => keyFromPem(pem));
}

function signerOf(ca: Certificate): Signer {
  const block = decodePem(ca.certificate);
  if (block === undefined) throw new GoError('unable to decode certificate');
  withContext('error parsing certificate: decodedSignerCert.Bytes', () => readCertificate(block.der));
  return { certificate: block.der, key: withContext('error parsing private key', () => keyFromPem(ca.key)) };
}

function ipAddress(value: Value): Uint8Array {
  if (typeof value !== 'string') throw new GoError(`error parsing ip: ${format(value)} is not a string`);
  const bytes = ipAddressBytes(value);
  if (bytes === undefined) throw new GoError(`error parsing ip: ${value}`);
  return bytes;
}

function dnsName(value: Value): string {
  if (typeof value === 'string') return value;
  throw new GoError(`error processing alternate dns name: ${format(value)} is not a string`);
}

function genPrivateKey(kind: string): string {
  const key = generateKey(kind);
  return key === undefined ? `Unknown type ${kind}` : keyToPem(key);
}

/** Sprig's `buildCustomCert`: wraps an existing certificate and key, both base64 of PEM. */
function buildCustomCert(certificate: string, key: string): Certificate {
  const [certificatePem, keyPem] = [decoded(certificate, 'certificate'), decoded(key, 'private key')];
  const block = decodePem(certificatePem);
  if (block === undefined) throw new GoError('unable to decode certificate');
  withContext('error parsing certificate: decodedCert.Bytes', () => readCertificate(block.der));
  withContext('error parsing private key', () => keyFromPem(keyPem));
  return new Certificate(certificatePem, keyPem);
}

function decoded(text: string, what: string): string {
  return recover(
    () => fromBytes(decodeBase64(text)),
    () => {
      throw new GoError(`unable to decode base64 ${what}`);
    },
  );
}
