import { isInsecureTransport } from '../net/local-host.ts';
import { type Setting, settingError } from './settings.ts';

/** Allows commands and tokens to be sent without encryption. */
export const insecureTransportSetting: Setting = {
  flag: 'insecure-transport',
  variable: 'HELM_AGENT_INSECURE_TRANSPORT',
  description: 'exchange commands, and send the token, without encryption with another machine',
};

export interface TransportSettings {
  url: string | undefined;
  tokenFile?: string | undefined;
  insecureTransport: boolean;
}

/**
 * Throws an error if commands would be exchanged with another machine without encryption: who is on
 * the way could read their values, and send commands. `setting` is that of the URL.
 */
export function requireSecureTransport(setting: Setting, settings: TransportSettings): void {
  const { url, tokenFile, insecureTransport } = settings;
  if (url === undefined || insecureTransport || !isInsecureTransport(url)) return;
  const { protocol, host, username, password } = new URL(url);
  const hasToken = tokenFile !== undefined || username !== '' || password !== '';
  const problem = hasToken
    ? `refusing to send a token over ${protocol}// to ${host}, where others can read it`
    : `refusing to exchange commands over ${protocol}// with ${host}, where others can read and change them`;
  const secure = protocol.replace(/:$/, 's:');
  throw settingError(setting, `${problem}; use ${secure}//, or allow it with --insecure-transport`);
}
