/** Keys, archives and signatures, made by tools/record-helm-signatures.ts. */
export const fixtureFolder = 'test/cli/helm/fixtures/signatures';

const keyring = `--keyring ${fixtureFolder}/public.gpg`;
const archives = [
  ...['test', 'rsa', 'expired', 'subkey', 'revoked', 'unknown', 'web-2.0.0', 'sha1', 'md5', 'short-lived', 'notation'],
  ...['other-digest', 'other-file', 'one-part', 'no-map', 'changed', 'no-message', 'cut', 'header', 'unsigned'],
];
const signed = `${fixtureFolder}/test.tgz`;
const sign = `package examples/charts/web -d OUTPUT --sign --keyring ${fixtureFolder}/secret.gpg`;

/** Command lines about signatures; `OUTPUT` is an empty folder. */
export const linesAboutSignatures: readonly string[][] = [
  ...archives.map((name) => `verify ${fixtureFolder}/${name}.tgz ${keyring}`),
  `verify ${fixtureFolder}/test.tar ${keyring}`,
  `verify ${fixtureFolder} ${keyring}`,
  `verify ${signed}`,
  `verify ${signed} --keyring nosuch`,
  `verify ${signed} --keyring ${fixtureFolder}`,
  `verify ${signed} --keyring ${fixtureFolder}/public.asc`,
  `verify ${signed} --keyring ${fixtureFolder}/pubring.kbx`,
  `verify ${signed} --keyring ${fixtureFolder}/rsa.gpg`,
  `verify ${signed} --keyring ${fixtureFolder}/secret.gpg`,
  `verify ${signed} --keyring /dev/null`,
  `show chart ${signed} --verify ${keyring}`,
  `show chart ${fixtureFolder}/changed.tgz --verify ${keyring}`,
  `show chart examples/charts/web --verify ${keyring}`,
  `template ${signed} --verify ${keyring}`,
  `template ${fixtureFolder}/other-digest.tgz --verify ${keyring}`,
  `install web examples/charts/web --verify ${keyring}`,
  `install web ${fixtureFolder}/revoked.tgz --verify ${keyring}`,
  `upgrade web ${fixtureFolder}/expired.tgz --verify ${keyring}`,
  `${sign} --key test@example.com`,
  `${sign} --key helm-agent`,
  `${sign} --key missing`,
  `${sign} --key locked`,
  `${sign} --key locked --passphrase-file nosuch`,
  `${sign} --key locked --passphrase-file package.json`,
  `${sign} --key locked --passphrase-file /dev/null`,
  `${sign} --key missing --passphrase-file nosuch`,
  `package examples/charts/web -d OUTPUT --sign --key test@ --keyring ${fixtureFolder}/public.gpg`,
  `package examples/charts/web -d OUTPUT --sign --key test@ --keyring nosuch`,
].map((line) => line.split(' '));
