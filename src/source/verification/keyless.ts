import { X509Certificate } from 'node:crypto';
import { bundleFromJSON, ValidationError } from '@sigstore/bundle';
import { TrustedRoot } from '@sigstore/protobuf-specs';
import { type Signer, toSignedEntity, toTrustMaterial, VerificationError, Verifier } from '@sigstore/verify';
import { messageOf } from '../../errors/index.ts';
import { fingerprintOf } from '../../signatures/public-key.ts';
import type { CosignSignature } from './cosign.ts';
import { bundleOf } from './sigstore-bundle.ts';

/** Who has signed without a key, as the certificate of an authority says it. */
export interface KeylessSigner {
  /** Who has checked the identity. */
  issuer: string;
  /** A URL, or an address of mail. */
  identity: string;
  /** Fingerprint of the key in the certificate. */
  key: string;
}

/**
 * Returns a function that verifies signatures without keys by a root, without a network: the
 * certificate, its entry in a log of certificates, the entry of the signature in a log, its time,
 * and the signature. It throws an Error with the end of a sentence.
 *
 * @param trustedRoot JSON text of a `trusted_root.json` of Sigstore
 */
export function createKeylessVerifier(trustedRoot: string): (signature: CosignSignature) => KeylessSigner {
  const verifier = new Verifier(toTrustMaterial(TrustedRoot.fromJSON(JSON.parse(trustedRoot))));
  return (signature) => signerOf(verified(bundleOf(signature), signature.signed, verifier));
}

interface VerifiedSignature extends Signer {
  certificate: X509Certificate;
}

function verified(json: object, signed: Buffer, verifier: Verifier): VerifiedSignature {
  try {
    const bundle = bundleFromJSON(json);
    const { content } = bundle.verificationMaterial;
    const certificates =
      content.$case === 'x509CertificateChain'
        ? content.x509CertificateChain.certificates
        : content.$case === 'certificate' && [content.certificate];
    const [first] = certificates || [];
    if (first === undefined) throw new Error('there is no certificate');
    const certificate = new X509Certificate(first.rawBytes);
    return { ...verifier.verify(toSignedEntity(bundle, signed)), certificate };
  } catch (error) {
    throw new Error(problemOf(error), { cause: error });
  }
}

/** Returns who has signed. Throws an Error unless the certificate names one issuer and identity. */
function signerOf({ key, identity = {}, certificate }: VerifiedSignature): KeylessSigner {
  const { extensions, oids = [], subjectAlternativeName: name = '' } = identity;
  const issuer = extensions?.issuer ?? '';
  const issuers = oids.filter(({ oid }) => issuerIds.includes(oid?.id.join('.') ?? ''));
  // the library reads 7 bits of each byte, and the first of several names
  const isOneIssuer = issuer !== '' && issuers.every(({ value }) => value.toString('latin1').endsWith(issuer));
  const names = [name, JSON.stringify(name)].flatMap((text) => [`URI:${text}`, `email:${text}`]);
  if (!isOneIssuer || !names.includes(certificate.subjectAltName ?? '')) {
    throw new Error('its certificate does not have one issuer and one identity');
  }
  return { issuer, identity: name, key: fingerprintOf(key) };
}

/** The extensions of a certificate of Fulcio that have the issuer. */
const issuerIds = ['1.3.6.1.4.1.57264.1.1', '1.3.6.1.4.1.57264.1.8'];

/** Returns what is wrong with a signature, as the end of a sentence. */
function problemOf(error: unknown): string {
  const detail = messageOf(error).slice(0, maxDetail);
  if (error instanceof ValidationError) return `its bundle lacks ${error.fields.join(', ').slice(0, maxDetail)}`;
  if (!(error instanceof VerificationError)) return `its bundle cannot be read (${detail})`;
  switch (error.code) {
    case 'TLOG_BODY_ERROR':
      return `its entry of a log is for another signature (${detail})`;
    case 'TLOG_ERROR':
    case 'TLOG_INCLUSION_PROOF_ERROR':
    case 'TLOG_INCLUSION_PROMISE_ERROR':
    case 'TLOG_MISSING_INCLUSION_ERROR':
      return `it is not proved to be in a log of the trusted root (${detail})`;
    case 'TIMESTAMP_ERROR':
      return `its time is not proved by the trusted root (${detail})`;
    case 'SIGNATURE_ERROR':
      return 'it is not by the key of its certificate';
    case 'CERTIFICATE_ERROR':
      return certificateProblem(detail, error.cause);
    default:
      return detail;
  }
}

function certificateProblem(detail: string, cause: unknown): string {
  if (detail.includes('SCT')) return `its certificate is not proved to be in a log of certificates (${detail})`;
  if (cause === undefined) return 'no authority of the trusted root was valid at its time';
  const reason = messageOf(cause).slice(0, maxDetail);
  if (reason.includes('expired')) return 'a certificate was not valid at its time';
  return `its certificate is not of an authority of the trusted root (${reason})`;
}

/** The library quotes a bundle, which is a stranger's. */
const maxDetail = 200;
