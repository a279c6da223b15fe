import { createPrivateKey, X509Certificate } from 'node:crypto';
import test from 'ava';
import { runTemplate } from './template-runner.ts';

/** Returns the PEM blocks in a text. */
function blocks(text: string): string[] {
  return text.match(/-----BEGIN [^-]+-----[^-]*-----END [^-]+-----\n/g) ?? [];
}

test('a signed certificate verifies against its authority and lists its names and key usages', (t) => {
  const [ca = '', certificate = '', key = ''] = blocks(
    runTemplate(
      '{{ $ca := genCA "my-ca" 365 }}{{ $c := genSignedCert "cn" (list "10.0.0.1" "fd00::1") (list "a.b" "*.c") 30 $ca }}{{ $ca.Cert }}{{ $c.Cert }}{{ $c.Key }}',
    ),
  );
  const [authority, signed] = [new X509Certificate(ca), new X509Certificate(certificate)];
  t.true(signed.checkIssued(authority));
  t.true(signed.verify(authority.publicKey));
  t.true(signed.checkPrivateKey(createPrivateKey(key)));
  t.true(authority.ca);
  t.false(signed.ca);
  t.is(signed.subject, 'CN=cn');
  t.is(signed.subjectAltName, 'DNS:a.b, DNS:*.c, IP Address:10.0.0.1, IP Address:FD00:0:0:0:0:0:0:1');
  t.deepEqual(signed.keyUsage, ['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2']);
});

test("a certificate is valid from the host's time for the given number of days", (t) => {
  const [pem = ''] = blocks(runTemplate('{{ (genSelfSignedCert "x" nil nil 30).Cert }}'));
  const certificate = new X509Certificate(pem);
  t.is(certificate.validFromDate.toISOString(), '2023-11-14T22:13:20.000Z');
  t.is(certificate.validToDate.toISOString(), '2023-12-14T22:13:20.000Z');
});

for (const [kind, type] of [
  ['ecdsa', 'EC PRIVATE KEY'],
  ['ed25519', 'PRIVATE KEY'],
  ['rsa', 'RSA PRIVATE KEY'],
]) {
  test(`genPrivateKey "${kind}" returns a key that can sign its own certificate`, (t) => {
    const text = runTemplate(
      `{{ $k := genPrivateKey "${kind}" }}{{ $c := genCAWithKey "é" 60000 $k }}{{ eq $k $c.Key }} {{ $c.Cert }}{{ $c.Key }}`,
    );
    const [certificate = '', key = ''] = blocks(text);
    const parsed = new X509Certificate(certificate);
    t.true(text.startsWith('true '));
    t.true(key.startsWith(`-----BEGIN ${type}-----`));
    t.true(parsed.verify(parsed.publicKey));
    t.is(parsed.validToDate.getUTCFullYear(), 2188);
  });
}

test('buildCustomCert returns an existing certificate and key unchanged', (t) => {
  t.is(
    runTemplate(
      '{{ $c := genSelfSignedCertWithKey "x" nil nil 1 (genPrivateKey "ecdsa") }}{{ $b := buildCustomCert (b64enc $c.Cert) (b64enc $c.Key) }}{{ eq $b.Cert $c.Cert }} {{ eq $b.Key $c.Key }}',
    ),
    'true true',
  );
});
