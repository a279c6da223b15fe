import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSigner } from '../../../src/source/provenance/sign-archive.ts';
import { sha256, type TestResponse } from '../test-repository.ts';

/** Returns a key pair of cosign: ECDSA on P-256, with the public key in PEM. */
export function newCosignKey(): { privateKey: KeyObject; publicKey: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { privateKey, publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString() };
}

interface Signed {
  /** Digest of the manifest that the signature is for. */
  digest: string;
  privateKey: KeyObject;
  /** Digest of the manifest beside which the signature is. Default: the same. */
  at?: string;
  /** Changes the signed text. */
  change?: (payload: Record<string, unknown>) => void;
}

const hashOf = ({ asymmetricKeyType }: KeyObject) => (asymmetricKeyType === 'ed25519' ? null : 'sha256');
const digestOf = (data: Buffer) => `sha256:${sha256(data)}`;

/** Returns the responses of a registry that has a signature of `cosign sign` before version 3. */
export function simpleSignature({ digest, privateKey, at = digest, change }: Signed): Record<string, TestResponse> {
  const content: Record<string, unknown> = {
    critical: {
      identity: { 'docker-reference': 'registry.example.com/team/web' },
      image: { 'docker-manifest-digest': digest },
      type: 'cosign container image signature',
    },
    optional: null,
  };
  change?.(content);
  const payload = Buffer.from(JSON.stringify(content));
  const layer = {
    mediaType: 'application/vnd.dev.cosign.simplesigning.v1+json',
    digest: digestOf(payload),
    size: payload.length,
    annotations: {
      'dev.cosignproject.cosign/signature': sign(hashOf(privateKey), payload, privateKey).toString('base64'),
    },
  };
  return {
    [`/v2/team/web/manifests/${at.replace(':', '-')}.sig`]: JSON.stringify({ schemaVersion: 2, layers: [layer] }),
    [`/v2/team/web/blobs/${layer.digest}`]: payload,
  };
}

/** Returns the responses of a registry that has a bundle of `cosign sign` of version 3. */
export function bundleSignature(
  { digest, privateKey, at = digest, change }: Signed,
  { byTag = false }: { byTag?: boolean } = {},
): Record<string, TestResponse> {
  const type = 'application/vnd.in-toto+json';
  const statement: Record<string, unknown> = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ digest: { sha256: digest.replace('sha256:', '') } }],
    predicateType: 'https://sigstore.dev/cosign/sign/v1',
    predicate: {},
  };
  change?.(statement);
  const payload = Buffer.from(JSON.stringify(statement));
  const signed = Buffer.concat([Buffer.from(`DSSEv1 ${type.length} ${type} ${payload.length} `), payload]);
  const sig = sign('sha256', signed, privateKey).toString('base64');
  const bundle = {
    mediaType: bundleType,
    verificationMaterial: { publicKey: { hint: 'x' } },
    dsseEnvelope: { payload: payload.toString('base64'), payloadType: type, signatures: [{ sig }] },
  };
  return bundleResponses(JSON.stringify(bundle), at, { byTag });
}

const bundleType = 'application/vnd.dev.sigstore.bundle.v0.3+json';

/** Returns the responses of a registry that has a bundle beside the manifest with a digest. */
export function bundleResponses(
  text: string,
  at: string,
  { byTag = false }: { byTag?: boolean } = {},
): Record<string, TestResponse> {
  const bundle = Buffer.from(text);
  const layers = [{ mediaType: bundleType, digest: digestOf(bundle), size: bundle.length }];
  const manifest = Buffer.from(JSON.stringify({ schemaVersion: 2, artifactType: bundleType, layers }));
  const entry = { mediaType: 'application/vnd.oci.image.manifest.v1+json', digest: digestOf(manifest) };
  const list = JSON.stringify({ schemaVersion: 2, manifests: [{ ...entry, artifactType: bundleType }] });
  return {
    [byTag ? `/v2/team/web/manifests/${at.replace(':', '-')}` : `/v2/team/web/referrers/${at}`]: list,
    [`/v2/team/web/manifests/${entry.digest}`]: manifest,
    [`/v2/team/web/blobs/${digestOf(bundle)}`]: bundle,
  };
}

const fixtures = 'test/cli/helm/fixtures/signatures';

/** The public key of {@link provenanceOf} in armor. */
export const publicKeyring = await readFile(`${fixtures}/public.asc`, 'utf8');

/** Returns the provenance file that helm would make for an archive. */
export async function provenanceOf(
  archive: Buffer,
  { fileName, keyName = 'test@example.com' }: { fileName: string; keyName?: string },
): Promise<Buffer> {
  const keyring = await readFile(`${fixtures}/secret.gpg`);
  const openPassphrase = () => Promise.resolve(() => Promise.resolve('secret'));
  const signArchive = await createSigner({ keyring, keyName, openPassphrase });
  const digest = createHash('sha256').update(archive).digest('hex');
  const metadata = 'apiVersion: v2\nname: web\n';
  return Buffer.from(await signArchive({ fileName, digest, metadata }, new Date('2023-01-01')));
}
