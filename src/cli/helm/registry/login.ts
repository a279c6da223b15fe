import { connectToRegistry } from '../../../downloader/index.ts';
import { quote } from '../../../go/strconv.ts';
import type { RegistryCredentials } from '../../../source/configuration/registry-auths.ts';
import { storeRegistryCredentials } from '../../../source/configuration/registry-config.ts';
import { defaultDownloadSettings } from '../../../source/download-settings.ts';
import { networkText } from '../../../source/http/network-text.ts';
import { checkCredentials, isHost } from '../../../source/oci/registry-access.ts';
import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command } from '../../cobra/command.ts';
import { switchFlag, textFlag } from '../../pflag/flag.ts';
import type { FlagValues } from '../../pflag/flag-values.ts';
import type { HelmContext } from '../context.ts';
import { readLine, readPassword } from '../password.ts';

/** `helm registry login` (pkg/cmd/registry_login.go) */
export const registryLoginCommand: Command<HelmContext> = {
  use: 'login [host]',
  long: `Log in to a registry. The credentials are checked and stored for later commands.

A password on stdin does not appear in the list of processes:

    echo "$TOKEN" | helm registry login ghcr.io --username ci --password-stdin`,
  checkArguments: argumentCount('at least', 1),
  flags: () => [
    textFlag('username', 'user name', { shorthand: 'u' }),
    textFlag('password', 'password or identity token', { shorthand: 'p' }),
    switchFlag('password-stdin', 'read the password or token from stdin'),
    switchFlag('insecure', 'do not check the certificate of the registry'),
    textFlag('cert-file', 'file with the certificate of this client'),
    textFlag('key-file', 'file with the private key of --cert-file'),
    textFlag('ca-file', 'file with the CAs of servers'),
    switchFlag('plain-http', 'use HTTP instead of HTTPS'),
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
      dispatcher: await connectToRegistry(files, context),
      plainHttp: flags.isOn('plain-http'),
      timeoutMs: defaultDownloadSettings.timeoutMs,
    };
    if (host.includes('/')) {
      const text = 'registry login currently only supports registry hostname, not a repository path';
      context.log.warn(text, { host, suggested: host.split('/', 1).join() });
    }
    if (!isHost(host)) throw new Error(`invalid reference: invalid registry ${quote(host)}`);
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
