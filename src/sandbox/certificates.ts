import 'reflect-metadata'; // @peculiar/x509 needs it to be loaded
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { KeyObject, webcrypto } from 'node:crypto';
import type { SandboxHost } from './sandbox-host.ts';

/** What the HTTPS server needs, and the authority that clients must trust; all PEM. */
export interface ServerCertificates {
  ca: string;
  certificate: string;
  key: string;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const day = 86_400_000;

/** Makes a certificate authority and a server certificate for `host` and localhost, valid for a year. */
export async function makeCertificates(host: SandboxHost, address: string): Promise<ServerCertificates> {
  const now = Number(host.now() / 1_000_000n);
  const common = { notBefore: new Date(now - day), notAfter: new Date(now + 365 * day), signingAlgorithm: algorithm };
  const authorityKeys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const serverKeys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const authority = await X509CertificateGenerator.createSelfSigned({
    ...common,
    serialNumber: serialNumber(host),
    name: 'CN=sandbox-ca',
    keys: authorityKeys,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
    ],
  });
  const server = await X509CertificateGenerator.create({
    ...common,
    serialNumber: serialNumber(host),
    subject: 'CN=sandbox-apiserver',
    issuer: authority.subject,
    publicKey: serverKeys.publicKey,
    signingKey: authorityKeys.privateKey,
    extensions: [
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension([
        { type: /^[\d.]+$|:/.test(address) ? 'ip' : 'dns', value: address },
        { type: 'dns', value: 'localhost' },
        { type: 'ip', value: '127.0.0.1' },
      ]),
    ],
  });
  return {
    ca: authority.toString('pem'),
    certificate: server.toString('pem'),
    key: KeyObject.from(serverKeys.privateKey).export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** Positive and never zero, as X.509 demands. */
function serialNumber(host: SandboxHost): string {
  return `01${Buffer.from(host.randomBytes(15)).toString('hex')}`;
}
