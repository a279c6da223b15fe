import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { fieldAt, listAt, stringAt } from '../../objects/fields.ts';

/** A signature that cosign has stored beside the manifest of a chart. */
export interface CosignSignature {
  /** The bytes that are signed. */
  signed: Buffer;
  signature: Buffer;
  /** Digests of the manifests that the signed text names. */
  digests: readonly string[];
}

/** Types of signatures in a registry. */
export const cosignMediaTypes = {
  /** A layer with a signature, under the tag `sha256-HEX.sig`. */
  simple: 'application/vnd.dev.cosign.simplesigning.v1+json',
  /** The start of the types of Sigstore's bundles, which refer to the manifest. */
  bundle: 'application/vnd.dev.sigstore.bundle',
} as const;

/** The most bytes of a signed text or a bundle. */
export const maxSignatureBytes = 128 * 1024;

const simpleType = 'cosign container image signature';
const statementType = 'application/vnd.in-toto+json';
/** Other predicates are attestations, such as lists of contents, and no signatures. */
const signaturePredicate = 'https://sigstore.dev/cosign/sign/v1';

/**
 * Reads a signature in the format of `cosign sign` before version 3. Undefined if it is not one.
 *
 * @param annotation the signature in base64
 */
export function readSimpleSignature(payload: Buffer, annotation: unknown): CosignSignature | undefined {
  const content = parse(payload);
  const digest = stringAt(content, 'critical', 'image', 'docker-manifest-digest');
  const isSignature = fieldAt(content, 'critical', 'type') === simpleType;
  if (!isSignature || digest === undefined || typeof annotation !== 'string') return undefined;
  return { signed: payload, signature: Buffer.from(annotation, 'base64'), digests: [digest] };
}

/** Reads the signatures of a Sigstore bundle that cosign has written. */
export function readBundle(text: Buffer): CosignSignature[] {
  const envelope = fieldAt(parse(text), 'dsseEnvelope');
  const encoded = stringAt(envelope, 'payload');
  if (stringAt(envelope, 'payloadType') !== statementType || encoded === undefined) return [];
  const payload = Buffer.from(encoded, 'base64');
  const statement = parse(payload);
  if (stringAt(statement, 'predicateType') !== signaturePredicate) return [];
  const digests = listAt(statement, 'subject').map(
    (subject) => `sha256:${stringAt(subject, 'digest', 'sha256') ?? ''}`,
  );
  const head = `DSSEv1 ${statementType.length} ${statementType} ${payload.length} `;
  const signed = Buffer.concat([Buffer.from(head), payload]);
  const signatures = listAt(envelope, 'signatures').slice(0, maxSignatures);
  return signatures.flatMap((one) => {
    const signature = stringAt(one, 'sig');
    return signature === undefined ? [] : [{ signed, signature: Buffer.from(signature, 'base64'), digests }];
  });
}

/** The most signatures that are read of one chart. */
export const maxSignatures = 16;

/**
 * Returns the fingerprint of a public key in PEM if one of some signatures is by it, and for a
 * manifest. Undefined if none is.
 */
export function verifyCosign(
  signatures: readonly CosignSignature[],
  manifest: string,
  publicKey: string,
): string | undefined {
  const key = createPublicKey(publicKey);
  const isValid = signatures.some((one) => one.digests.includes(manifest) && isSignedBy(key, one));
  return isValid ? fingerprintOf(key) : undefined;
}

/** Returns `SHA256:` and the SHA-256 of a public key in DER, in hex. */
function fingerprintOf(key: KeyObject): string {
  const der = key.export({ type: 'spki', format: 'der' });
  return `SHA256:${createHash('sha256').update(der).digest('hex')}`;
}

function isSignedBy(key: KeyObject, { signed, signature }: CosignSignature): boolean {
  try {
    return verify(key.asymmetricKeyType === 'ed25519' ? null : 'sha256', signed, key, signature);
  } catch {
    return false; // it is not a signature of such a key
  }
}

function parse(text: Buffer): unknown {
  try {
    return JSON.parse(text.toString());
  } catch {
    return undefined;
  }
}
