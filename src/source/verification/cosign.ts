import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { fieldAt, listAt, stringAt } from '../../objects/fields.ts';
import { parseJson } from '../../protocol/json.ts';
import { signedBytes } from '../../signatures/envelope.ts';
import { fingerprintOf } from '../../signatures/public-key.ts';

/** A signature that cosign has stored beside the manifest of a chart, not read yet. Plain data. */
export type StoredSignature =
  | {
      /** Of `cosign sign` before version 3. */
      kind: 'simple';
      content: Uint8Array;
      /** The annotations of its layer whose names are in {@link cosignAnnotations}. */
      annotations: Readonly<Record<string, string>>;
    }
  | {
      /** A bundle of Sigstore. */
      kind: 'bundle';
      content: Uint8Array;
    };

/** A signature that cosign has made of a text that names manifests. */
export interface CosignSignature {
  /** The bytes that are signed. */
  signed: Buffer;
  signature: Buffer;
  /** Digests of the manifests that the signed text names. */
  digests: readonly string[];
  /** Where the certificate of a signature without a key is, and how it was logged. */
  evidence: { bundle: unknown } | { annotations: Readonly<Record<string, string>> };
}

/** Types of signatures in a registry. */
export const cosignMediaTypes = {
  /** A layer with a signature, under the tag `sha256-HEX.sig`. */
  simple: 'application/vnd.dev.cosign.simplesigning.v1+json',
  /** The start of the types of Sigstore's bundles, which refer to the manifest. */
  bundle: 'application/vnd.dev.sigstore.bundle',
} as const;

/** Annotations of a layer with a signature. */
export const cosignAnnotations = {
  /** The signature in base64. */
  signature: 'dev.cosignproject.cosign/signature',
  /** The certificate of a signature without a key, in PEM. */
  certificate: 'dev.sigstore.cosign/certificate',
  /** The entry of the log, and the signature of the log for it. */
  logEntry: 'dev.sigstore.cosign/bundle',
} as const;

/** The most bytes of a signed text or a bundle, and characters of an annotation. */
export const maxSignatureBytes = 128 * 1024;

/** The most signatures that are read of one chart. */
export const maxSignatures = 16;

const simpleType = 'cosign container image signature';
const statementType = 'application/vnd.in-toto+json';
/** Other predicates are attestations, such as lists of contents, and no signatures. */
const signaturePredicate = 'https://sigstore.dev/cosign/sign/v1';

/** Returns the signatures of what a registry has. What is not a signature of cosign has none. */
export function readSignatures(stored: StoredSignature): CosignSignature[] {
  const text = Buffer.from(stored.content);
  return stored.kind === 'simple' ? readSimple(text, stored.annotations) : readBundle(text);
}

function readSimple(signed: Buffer, annotations: Readonly<Record<string, string>>): CosignSignature[] {
  const content = parse(signed);
  const digest = stringAt(content, 'critical', 'image', 'docker-manifest-digest');
  const signature = stringAt(annotations, cosignAnnotations.signature);
  const isSignature = fieldAt(content, 'critical', 'type') === simpleType;
  if (!isSignature || digest === undefined || signature === undefined) return [];
  return [{ signed, signature: Buffer.from(signature, 'base64'), digests: [digest], evidence: { annotations } }];
}

function readBundle(text: Buffer): CosignSignature[] {
  const bundle = parse(text);
  const envelope = fieldAt(bundle, 'dsseEnvelope');
  const encoded = stringAt(envelope, 'payload');
  if (stringAt(envelope, 'payloadType') !== statementType || encoded === undefined) return [];
  const payload = Buffer.from(encoded, 'base64');
  const statement = parse(payload);
  if (stringAt(statement, 'predicateType') !== signaturePredicate) return [];
  const digests = listAt(statement, 'subject').map(
    (subject) => `sha256:${stringAt(subject, 'digest', 'sha256') ?? ''}`,
  );
  const signed = signedBytes(statementType, payload);
  return listAt(envelope, 'signatures')
    .slice(0, maxSignatures)
    .flatMap((one) => {
      const signature = stringAt(one, 'sig');
      if (signature === undefined) return [];
      return [{ signed, signature: Buffer.from(signature, 'base64'), digests, evidence: { bundle } }];
    });
}

/** Returns the fingerprint of a public key in PEM that has made a signature, or undefined. */
export function keyOfSignature({ signed, signature }: CosignSignature, publicKey: string): string | undefined {
  const key = createPublicKey(publicKey);
  return isSignedBy(key, signed, signature) ? fingerprintOf(key) : undefined;
}

function isSignedBy(key: KeyObject, signed: Buffer, signature: Buffer): boolean {
  try {
    return verify(key.asymmetricKeyType === 'ed25519' ? null : 'sha256', signed, key, signature);
  } catch {
    return false; // it is not a signature of such a key
  }
}

function parse(text: Buffer): unknown {
  try {
    return parseJson(text.toString());
  } catch {
    return undefined;
  }
}
