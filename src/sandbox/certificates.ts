import { generateKeyPairSync } from 'node:crypto';
import { createCertificate, encodePem, ipAddressBytes } from '../x509/index.ts';
import type { SandboxHost } from './sandbox-host.ts';

/** Certificate and key of the HTTPS server, and the authority that clients must trust; all PEM. */
export interface ServerCertificates {
  ca: string;
  certificate: string;
  key: string;
}

const day = 86_400_000;

/**
 * Makes a certificate authority and a server certificate for `address` and localhost. Both are
 * valid for a year.
 */
export function makeCertificates(host: SandboxHost, address: string): ServerCertificates {
  const now = Number(host.now() / 1_000_000n);
  const validity = { notBefore: now - day, notAfter: now + 365 * day };
  const [authorityKey, serverKey] = [generateKey(), generateKey()];
  const authority = createCertificate(
    {
      ...validity,
      serialNumber: serialNumber(host),
      commonName: 'sandbox-ca',
      isAuthority: true,
      dnsNames: [],
      ipAddresses: [],
      key: authorityKey,
    },
    { key: authorityKey },
  );
  const addressBytes = ipAddressBytes(address);
  const server = createCertificate(
    {
      ...validity,
      serialNumber: serialNumber(host),
      commonName: 'sandbox-apiserver',
      isAuthority: false,
      dnsNames: addressBytes === undefined ? [address, 'localhost'] : ['localhost'],
      ipAddresses: [...(addressBytes === undefined ? [] : [addressBytes]), Uint8Array.of(127, 0, 0, 1)],
      key: serverKey,
    },
    { key: authorityKey, certificate: authority },
  );
  return {
    ca: encodePem({ type: 'CERTIFICATE', der: authority }),
    certificate: encodePem({ type: 'CERTIFICATE', der: server }),
    key: serverKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function generateKey() {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
}

/** Returns a random serial number that is never zero, as X.509 requires. */
function serialNumber(host: SandboxHost): bigint {
  return BigInt(`0x01${Buffer.from(host.randomBytes(15)).toString('hex')}`);
}
