import { switchFlag, textFlag, type Flag } from '../../pflag/flag.ts';
import type { FlagValues } from '../../pflag/flag-values.ts';

/** How a command connects to repositories and registries. A text that is not given is empty. */
export interface ConnectionOptions {
  readonly username: string;
  readonly password: string;
  readonly certFile: string;
  readonly keyFile: string;
  readonly caFile: string;
  readonly insecureSkipTlsVerify: boolean;
  readonly plainHttp: boolean;
}

/**
 * Returns Helm's flags for connecting to repositories and registries. `purpose` is what commands
 * do with charts there.
 */
export function connectionFlags(purpose: 'download' | 'upload', client = 'HTTPS client'): readonly Flag[] {
  const chart = 'chart repository %s where to locate the requested chart';
  return [
    textFlag('username', chart.replace('%s', 'username')),
    textFlag('password', chart.replace('%s', 'password')),
    textFlag('cert-file', `identify ${client} using this SSL certificate file`),
    textFlag('key-file', `identify ${client} using this SSL key file`),
    switchFlag('insecure-skip-tls-verify', `skip tls certificate checks for the chart ${purpose}`),
    switchFlag('plain-http', `use insecure HTTP connections for the chart ${purpose}`),
    textFlag('ca-file', 'verify certificates of HTTPS-enabled servers using this CA bundle'),
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
