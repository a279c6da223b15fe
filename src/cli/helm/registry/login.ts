import { quote } from '../../../go/strconv.ts';
import { defaultDownloadSettings } from '../../../source/download-settings.ts';
import { storeRegistryCredentials } from '../../../source/configuration/registry-config.ts';
import type { RegistryCredentials } from '../../../source/configuration/registry-credentials.ts';
import { networkText } from '../download/network-text.ts';
import { checkCredentials } from '../../../source/oci/registry-access.ts';
import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command } from '../../cobra/command.ts';
import { switchFlag, textFlag } from '../../pflag/flag.ts';
import type { FlagValues } from '../../pflag/flag-values.ts';
import type { HelmContext } from '../context.ts';
import { connect } from '../download/connect.ts';
import { readLine, readPassword } from '../password.ts';

/** `helm registry login` (pkg/cmd/registry_login.go) */
export const registryLoginCommand: Command<HelmContext> = {
  use: 'login [host]',
  // prettier-ignore
  long: `
Authenticate to a remote registry.

For example for Github Container Registry:

    echo "$GITHUB_TOKEN" | helm registry login ghcr.io -u $GITHUB_USER --password-stdin
`,
  checkArguments: argumentCount('at least', 1),
  flags: () => [
    textFlag('username', 'registry username', { shorthand: 'u' }),
    textFlag('password', 'registry password or identity token', { shorthand: 'p' }),
    switchFlag('password-stdin', 'read password or identity token from stdin'),
    switchFlag('insecure', 'allow connections to TLS registry without certs'),
    textFlag('cert-file', 'identify registry client using this SSL certificate file'),
    textFlag('key-file', 'identify registry client using this SSL key file'),
    textFlag('ca-file', 'verify certificates of HTTPS-enabled servers using this CA bundle'),
    switchFlag('plain-http', 'use insecure HTTP connections for the chart upload'),
  ],
  async run({ args: [host = ''], flags, context }) {
    const credentials = await credentialsOf(flags, context);
    const files = {
      certFile: flags.text('cert-file'),
      keyFile: flags.text('key-file'),
      caFile: flags.text('ca-file'),
      insecureSkipTlsVerify: flags.isOn('insecure'),
    };
    const settings = {
      dispatcher: await connect(files, context),
      plainHttp: flags.isOn('plain-http'),
      timeoutMs: defaultDownloadSettings.timeoutMs,
    };
    if (host.includes('/')) {
      const text = 'registry login currently only supports registry hostname, not a repository path';
      context.log.warn(text, { host, suggested: host.split('/', 1).join() });
    }
    const trusted = { ...credentials, passCredentials: true };
    await checkCredentials(host, trusted, settings, new AbortController().signal).catch((cause: unknown) => {
      throw new Error(`authenticating to ${quote(host)}: ${networkText(cause)}`, { cause });
    });
    await storeRegistryCredentials(context.settings.registryConfig, host, credentials);
    context.stdout.write('Login Succeeded\n');
  },
};

/** Returns the credentials of the flags, or those that are typed. */
async function credentialsOf(flags: FlagValues, context: HelmContext): Promise<RegistryCredentials> {
  const username = flags.text('username');
  const password = flags.text('password');
  if (flags.isOn('password-stdin')) return { username, password: await readPassword('', true, context) };
  if (password !== '') {
    context.log.warn('using --password via the CLI is insecure. Use --password-stdin', {});
    return { username, password };
  }
  const name = username === '' ? (await readLine('Username: ', context)).trim() : username;
  const what = name === '' ? 'Token' : 'Password';
  const typed = await readPassword(`${what}: `, false, context);
  if (typed === '') throw new Error(`${what.toLowerCase()} required`);
  return { username: name, password: typed };
}
