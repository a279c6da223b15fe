import type { ConnectionOptions } from '../../../downloader/index.ts';
import { type Flag, switchFlag, textFlag } from '../../pflag/flag.ts';
import type { FlagValues } from '../../pflag/flag-values.ts';

/** Returns Helm's flags for connecting to repositories and registries. */
export function connectionFlags(): readonly Flag[] {
  return [
    textFlag('username', 'user name for the repository'),
    textFlag('password', 'password for the repository'),
    textFlag('cert-file', 'file with the certificate of this client'),
    textFlag('key-file', 'file with the private key of --cert-file'),
    switchFlag('insecure-skip-tls-verify', 'do not check the certificate of the server'),
    switchFlag('plain-http', 'use HTTP instead of HTTPS for a registry'),
    textFlag('ca-file', 'file with the CAs of servers'),
  ];
}

/** Returns what the flags of {@link connectionFlags} set. */
export function connectionOfFlags(flags: FlagValues): ConnectionOptions {
  return {
    username: flags.text('username'),
    password: flags.text('password'),
    certFile: flags.text('cert-file'),
    keyFile: flags.text('key-file'),
    caFile: flags.text('ca-file'),
    insecureSkipTlsVerify: flags.isOn('insecure-skip-tls-verify'),
    plainHttp: flags.isOn('plain-http'),
  };
}
