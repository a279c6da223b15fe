import { createHash, generateKeyPairSync, sign } from 'node:crypto';

// A whole Sigstore: an authority with an intermediate one, a log of certificates and a log of
// signatures, and what `cosign sign` makes with them.

const hash = (...parts: Uint8Array[]) => createHash('sha256').update(Buffer.concat(parts)).digest();
const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
type KeyPair = ReturnType<typeof newKey>;
const spkiOf = ({ publicKey }: KeyPair) => publicKey.export({ type: 'spki', format: 'der' });
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const signed = (content: Uint8Array, { privateKey }: KeyPair) => sign('sha256', content, privateKey);

/** Returns a value of DER. */
function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...parts: Uint8Array[]) => der(0x30, ...parts);
const octets = (...parts: Uint8Array[]) => der(0x04, ...parts);
const bits = (content: Uint8Array) => der(0x03, Buffer.from([0]), content);
const truth = Buffer.from('0101ff', 'hex');

function objectId(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  const bytes = [first * 40 + second, ...rest.flatMap(base128)];
  return der(0x06, Buffer.from(bytes));
}

function base128(number: number): number[] {
  const digits = [number & 0x7f];
  for (let left = number >> 7; left > 0; left >>= 7) digits.unshift((left & 0x7f) | 0x80);
  return digits;
}

const extension = (id: string, content: Uint8Array, isCritical = false) =>
  sequence(objectId(id), ...(isCritical ? [truth] : []), octets(content));

const ecdsa = sequence(objectId('1.2.840.10045.4.3.2'));
const named = (name: string) =>
  name === '' ? sequence() : sequence(der(0x31, sequence(objectId('2.5.4.3'), der(0x0c, Buffer.from(name)))));
const timeOf = (time: Date) => der(0x18, Buffer.from(time.toISOString().replace(/[-:T]|\.\d+/g, '')));

interface Certificate {
  subject: string;
  key: KeyPair;
  der: Buffer;
}

interface CertificateFields {
  subject: string;
  key: KeyPair;
  /** Default: the certificate is self-signed. */
  issuer?: Certificate | undefined;
  notBefore: Date;
  notAfter: Date;
  extensions: readonly Buffer[];
}

const usage = { authority: Buffer.from('03020106', 'hex'), signature: Buffer.from('03020780', 'hex') };

function toBeSigned({ subject, key, issuer, notBefore, notAfter, extensions }: CertificateFields): Buffer {
  const issuerKey = issuer?.key ?? key;
  return sequence(
    der(0xa0, Buffer.from('020102', 'hex')),
    der(0x02, Buffer.from('11', 'hex')),
    ecdsa,
    named(issuer?.subject ?? subject),
    sequence(timeOf(notBefore), timeOf(notAfter)),
    named(subject),
    spkiOf(key),
    der(
      0xa3,
      sequence(
        extension('2.5.29.14', octets(hash(spkiOf(key)))),
        extension('2.5.29.35', sequence(der(0x80, hash(spkiOf(issuerKey))))),
        ...extensions,
      ),
    ),
  );
}

function certified(fields: CertificateFields): Certificate {
  const content = toBeSigned(fields);
  const signature = signed(content, fields.issuer?.key ?? fields.key);
  return { subject: fields.subject, key: fields.key, der: sequence(content, ecdsa, bits(signature)) };
}

const authority = [extension('2.5.29.19', sequence(truth), true), extension('2.5.29.15', usage.authority, true)];

/** Returns the extension by which a log of certificates says that it has a certificate. */
function loggedBy(log: KeyPair, fields: CertificateFields, issuer: Certificate): Buffer {
  const content = toBeSigned(fields);
  const time = Buffer.alloc(8);
  time.writeBigInt64BE(BigInt(fields.notBefore.getTime()));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  const entry = [time, Buffer.from([0, 1]), hash(spkiOf(issuer.key)), length.subarray(1), content, Buffer.from([0, 0])];
  const signature = signed(Buffer.concat([Buffer.from([0, 0]), ...entry]), log);
  const size = (count: number) => Buffer.from([count >> 8, count & 0xff]);
  const head = [Buffer.from([0]), hash(spkiOf(log)), time, size(0), Buffer.from([4, 3]), size(signature.length)];
  const timestamp = Buffer.concat([...head, signature]);
  const list = Buffer.concat([size(timestamp.length + 2), size(timestamp.length), timestamp]);
  return extension('1.3.6.1.4.1.11129.2.4.2', octets(list));
}

/** The keys and certificates of a Sigstore. */
export interface TestSigstore {
  root: Certificate;
  intermediate: Certificate;
  certificateLog: KeyPair;
  log: KeyPair;
  /** The text of its `trusted_root.json`. */
  trustedRoot: string;
}

/** A time at which the certificates of authorities are valid. */
export const signingTime = new Date('2026-03-01T12:00:00Z');
const minute = 60_000;

/** Creates a Sigstore. `validFor` of its authority ends at `end` (default: never). */
export function createSigstore({ end }: { end?: Date } = {}): TestSigstore {
  const times = { notBefore: new Date('2026-01-01'), notAfter: new Date('2036-01-01') };
  const root = certified({ subject: 'root', key: newKey(), ...times, extensions: authority });
  const below = { subject: 'intermediate', key: newKey(), issuer: root, ...times, extensions: authority };
  const intermediate = certified(below);
  const [certificateLog, log] = [newKey(), newKey()];
  const validFor = { start: '2026-01-01T00:00:00Z', ...(end && { end: end.toISOString() }) };
  const logOf = (key: KeyPair, name: string) => ({
    ...{ baseUrl: `https://${name}`, hashAlgorithm: 'SHA2_256', logId: { keyId: base64(hash(spkiOf(key))) } },
    publicKey: { rawBytes: base64(spkiOf(key)), keyDetails: 'PKIX_ECDSA_P256_SHA_256', validFor },
  });
  const certificates = [intermediate, root].map((one) => ({ rawBytes: base64(one.der) }));
  const trustedRoot = JSON.stringify({
    mediaType: 'application/vnd.dev.sigstore.trustedroot+json;version=0.1',
    tlogs: [logOf(log, logName)],
    certificateAuthorities: [
      {
        subject: { organization: 'a', commonName: 'b' },
        uri: 'https://ca.example',
        certChain: { certificates },
        validFor,
      },
    ],
    ctlogs: [logOf(certificateLog, 'certificates.example')],
    timestampAuthorities: [],
  });
  return { root, intermediate, certificateLog, log, trustedRoot };
}

const logName = 'log.example';

export interface KeylessOptions {
  sigstore: TestSigstore;
  /** Digest of the manifest. */
  digest: string;
  issuer?: string;
  /** A URL or an address of mail, or the bytes of one. */
  identity?: string | Buffer;
  /** Who issues the certificate. Default: the intermediate authority; undefined: its own key. */
  authority?: Certificate | undefined;
  /** The log of certificates. Default: that of the Sigstore; undefined: none. */
  certificateLog?: KeyPair | undefined;
  log?: KeyPair;
  /** When the signature is logged. Default: a minute after the certificate is issued. */
  loggedAt?: Date;
  /** The text that the entry of the log is for. Default: what is signed. */
  loggedPayload?: Buffer;
  /** The key that signs. Default: that of the certificate. */
  signer?: KeyPair;
  /** Changes the statement before it is signed. */
  change?: (statement: Record<string, unknown>) => void;
  /** The name in the checkpoint. */
  checkpointName?: string;
}

export const testIssuer = 'https://token.actions.githubusercontent.com';
export const testIdentity = 'https://github.com/acme/charts/.github/workflows/release.yml@refs/tags/v2.0.0';

function leafOf(options: KeylessOptions): Certificate {
  const { sigstore, issuer = testIssuer, identity = testIdentity } = options;
  const { certificateLog, authority: issuedBy } = { ...sigstore, authority: sigstore.intermediate, ...options };
  const name = Buffer.from(identity);
  const isMail = name.includes('@') && !name.includes('://');
  const fields: CertificateFields = {
    ...{ subject: '', key: newKey(), issuer: issuedBy },
    ...{ notBefore: signingTime, notAfter: new Date(signingTime.getTime() + 10 * minute) },
    extensions: [
      extension('2.5.29.15', usage.signature, true),
      extension('2.5.29.37', sequence(objectId('1.3.6.1.5.5.7.3.3'))),
      extension('2.5.29.17', sequence(der(isMail ? 0x81 : 0x86, name)), true),
      extension('1.3.6.1.4.1.57264.1.1', Buffer.from(issuer)),
      extension('1.3.6.1.4.1.57264.1.8', der(0x0c, Buffer.from(issuer))),
    ],
  };
  const extensions = [...fields.extensions];
  if (certificateLog !== undefined)
    extensions.push(loggedBy(certificateLog, fields, issuedBy ?? { ...fields, der: name }));
  return certified({ ...fields, extensions });
}

/** Returns an entry of a log, as a bundle has it. */
function logEntry(body: object, key: KeyPair, time: Date, kindVersion: object, checkpointName = logName) {
  const content = Buffer.from(JSON.stringify(body));
  const logID = hash(spkiOf(key));
  const integratedTime = Math.floor(time.getTime() / 1000);
  const logIndex = 7;
  const promise = { body: base64(content), integratedTime, logID: logID.toString('hex'), logIndex };
  const sibling = hash(Buffer.from('another entry'));
  const rootHash = hash(Buffer.from([1]), hash(Buffer.from([0]), content), sibling);
  const note = `${logName} - 1\n2\n${base64(rootHash)}\n`;
  const checkpoint = base64(Buffer.concat([logID.subarray(0, 4), signed(Buffer.from(note), key)]));
  return {
    logIndex: String(logIndex),
    logId: { keyId: base64(logID) },
    kindVersion,
    integratedTime: String(integratedTime),
    inclusionPromise: { signedEntryTimestamp: base64(signed(Buffer.from(JSON.stringify(promise)), key)) },
    inclusionProof: {
      ...{ logIndex: '0', rootHash: base64(rootHash), treeSize: '2', hashes: [base64(sibling)] },
      checkpoint: { envelope: `${note}\n\u2014 ${checkpointName} ${checkpoint}\n` },
    },
    canonicalizedBody: base64(content),
  };
}

/** A bundle of Sigstore, as `cosign sign` of version 3 writes it without a key. */
export type KeylessBundle = ReturnType<typeof keylessBundle>;

export function keylessBundle(options: KeylessOptions) {
  const { digest, sigstore, loggedAt = new Date(signingTime.getTime() + minute) } = options;
  const leaf = leafOf(options);
  const payloadType = 'application/vnd.in-toto+json';
  const statement: Record<string, unknown> = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ digest: { sha256: digest.replace('sha256:', '') } }],
    predicateType: 'https://sigstore.dev/cosign/sign/v1',
    predicate: {},
  };
  options.change?.(statement);
  const payload = Buffer.from(JSON.stringify(statement));
  const head = `DSSEv1 ${payloadType.length} ${payloadType} ${payload.length} `;
  const sig = base64(signed(Buffer.concat([Buffer.from(head), payload]), options.signer ?? leaf.key));
  const { loggedPayload = payload, log = sigstore.log } = options;
  const body = {
    apiVersion: '0.0.1',
    kind: 'dsse',
    spec: {
      payloadHash: { algorithm: 'sha256', value: hash(loggedPayload).toString('hex') },
      signatures: [{ signature: sig, verifier: base64(Buffer.from(pemOf(leaf.der))) }],
    },
  };
  const kindVersion = { kind: 'dsse', version: '0.0.1' };
  return {
    mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
    verificationMaterial: {
      certificate: { rawBytes: base64(leaf.der) },
      tlogEntries: [logEntry(body, log, loggedAt, kindVersion, options.checkpointName)],
      timestampVerificationData: {},
    },
    dsseEnvelope: { payload: base64(payload), payloadType, signatures: [{ sig }] },
  };
}

/** Returns a signed text and its annotations, as `cosign sign` before version 3 writes them. */
export function keylessAnnotations(options: KeylessOptions): { payload: Buffer; annotations: Record<string, string> } {
  const { digest, sigstore, loggedAt = new Date(signingTime.getTime() + minute) } = options;
  const leaf = leafOf(options);
  const content: Record<string, unknown> = {
    critical: {
      identity: { 'docker-reference': 'registry.example.com/team/web' },
      image: { 'docker-manifest-digest': digest },
      type: 'cosign container image signature',
    },
    optional: null,
  };
  options.change?.(content);
  const payload = Buffer.from(JSON.stringify(content));
  const signature = base64(signed(payload, options.signer ?? leaf.key));
  const { loggedPayload = payload, log = sigstore.log } = options;
  const body = {
    apiVersion: '0.0.1',
    kind: 'hashedrekord',
    spec: {
      data: { hash: { algorithm: 'sha256', value: hash(loggedPayload).toString('hex') } },
      signature: { content: signature, publicKey: { content: base64(Buffer.from(pemOf(leaf.der))) } },
    },
  };
  const entry = logEntry(body, log, loggedAt, {});
  const bundle = {
    SignedEntryTimestamp: entry.inclusionPromise.signedEntryTimestamp,
    Payload: {
      body: entry.canonicalizedBody,
      integratedTime: Number(entry.integratedTime),
      logIndex: Number(entry.logIndex),
      logID: Buffer.from(entry.logId.keyId, 'base64').toString('hex'),
    },
  };
  return {
    payload,
    annotations: {
      'dev.cosignproject.cosign/signature': signature,
      'dev.sigstore.cosign/certificate': pemOf(leaf.der),
      'dev.sigstore.cosign/chain': [sigstore.intermediate, sigstore.root].map((one) => pemOf(one.der)).join(''),
      'dev.sigstore.cosign/bundle': JSON.stringify(bundle),
    },
  };
}

function pemOf(content: Buffer): string {
  const lines = base64(content).match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

/** Returns the key of an entry of a policy, for the keys of a Sigstore. */
export function keylessKey({ trustedRoot }: TestSigstore, { issuer = testIssuer, identity = testIdentity } = {}) {
  return { name: 'vendor', keyless: { issuer, identity, trustedRoot } };
}
