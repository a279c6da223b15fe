import type { Verification } from '../source/provenance/verify-archive.ts';

const underscoreText = `
OCI artifact references (e.g. tags) do not support the plus sign (+). To support
storing semantic versions, Helm adopts the convention of changing plus (+) to
an underscore (_) in chart version tags when pushing to a registry and back to
a plus (+) when pulling from a registry.
`;

/** Returns what Helm prints about a chart that it has pulled (pkg/registry/client.go). */
export function pulledText(reference: string, digest: string): string {
  return transferText('Pulled', reference, digest, reference.includes('_'));
}

/** Returns what Helm prints about a chart that it has pushed. Only its tag is searched for `_`. */
export function pushedText(repository: string, tag: string, digest: string): string {
  return transferText('Pushed', `${repository}:${tag}`, digest, tag.includes('_'));
}

function transferText(verb: string, reference: string, digest: string, hasUnderscore: boolean): string {
  const text = `${verb}: ${reference}\nDigest: ${digest}\n`;
  return hasUnderscore ? `${text}${reference} contains an underscore.\n${underscoreText}` : text;
}

/** Returns what Helm prints about a verified chart. */
export function verificationText({ signedBy, fingerprint, fileHash }: Verification): string {
  const signers = signedBy.map((name) => `Signed by: ${name}\n`).join('');
  return `${signers}Using Key With Fingerprint: ${fingerprint}\nChart Hash Verified: ${fileHash}\n`;
}
