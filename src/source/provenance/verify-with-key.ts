import type { SignaturePacket } from 'openpgp';
import { lenientConfig, type OpenPgp, PgpError } from './openpgp.ts';
import type { KeyPacket } from './read-packets.ts';

/** The subject of a signature, as the library takes it. */
export type SignedData =
  | { readonly key: KeyPacket; readonly bind?: KeyPacket; readonly userID?: { write: () => Uint8Array } }
  | { readonly text: null; readonly getBytes: () => Uint8Array };

const algorithmNames: ReadonlyMap<number, string> = new Map([
  [1, 'RSA'],
  [3, 'RSA'],
  [17, 'DSA'],
  [19, 'ECDSA'],
  [22, 'EdDSA'],
  [27, 'Ed25519'],
  [28, 'ed448'],
]);

/** Go refuses RSA keys with fewer bits. */
const leastRsaBits = 1024;

/**
 * Verifies that a key has made a signature, without regard to time. Throws {@link PgpError} with
 * Helm's text if it has not.
 */
export async function verifyWithKey(
  signature: SignaturePacket,
  key: KeyPacket,
  data: SignedData,
  openpgp: OpenPgp,
): Promise<void> {
  const { signatureType } = signature;
  if (signatureType === null) throw new PgpError('structural', 'signature without a type');
  if (signature.publicKeyAlgorithm !== key.algorithm) {
    const problem = 'public key and signature use different algorithms';
    throw new PgpError('other', `openpgp: invalid argument: ${problem}`);
  }
  const algorithm = algorithmNames.get(key.algorithm) ?? '';
  const failure = `openpgp: invalid signature: ${algorithm} verification failure`;
  const { bits = leastRsaBits } = key.getAlgorithmInfo();
  if (algorithm === 'RSA' && bits < leastRsaBits) throw new PgpError('other', failure);
  const critical = signature.rawNotations.map(({ name }) => name); // the caller decides about them
  signature.issuerKeyID = key.getKeyID(); // the caller has chosen the key
  // null means without regard to time; the declaration lacks it
  const noTime = null as unknown as Date;
  await signature
    .verify(key, signatureType, data, noTime, true, lenientConfig(openpgp, critical))
    .catch((cause: unknown) => {
      throw new PgpError('other', failure, { cause });
    });
}
