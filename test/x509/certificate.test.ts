import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import test from 'ava';
import { createCertificate } from '../../src/x509/certificate.ts';

const day = 86_400_000;
const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const authority = {
  serialNumber: 7n,
  commonName: 'ca',
  isAuthority: true,
  dnsNames: [],
  ipAddresses: [],
  notBefore: 0,
  notAfter: day,
  key,
};

test('a certificate without an issuer is self-signed', (t) => {
  const certificate = new X509Certificate(createCertificate(authority, { key }));
  t.true(certificate.verify(certificate.publicKey));
  t.is(certificate.issuer, 'CN=ca');
  t.is(certificate.serialNumber, '07');
  t.true(certificate.ca);
});

test('the key of an issuer must match its certificate', (t) => {
  const certificate = createCertificate(authority, { key });
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  t.throws(() => createCertificate({ ...authority, isAuthority: false }, { key: other, certificate }), {
    message: "x509: provided PrivateKey doesn't match parent's PublicKey",
  });
});

test('dates from 2050 on are valid', (t) => {
  const certificate = createCertificate({ ...authority, notAfter: Date.UTC(2188, 0, 1) }, { key });
  t.is(new X509Certificate(certificate).validToDate.getUTCFullYear(), 2188);
});
