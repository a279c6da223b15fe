import { isInsecureTransport } from '../protocol/insecure-transport.ts';
import { settingError, type Setting } from './settings.ts';

/** Allows to send tokens without encryption. */
export const insecureTransportSetting: Setting = {
  flag: '--insecure-transport',
  variable: 'HELM_AGENT_INSECURE_TRANSPORT',
  description: 'send the token to another machine without encryption',
};

export interface TransportSettings {
  url: string | undefined;
  tokenFile?: string | undefined;
  insecureTransport: boolean;
}

/**
 * Throws an error if a token would be sent to another machine without encryption. `setting` is that
 * of the URL.
 */
export function requireSecureTransport(setting: Setting, settings: TransportSettings): void {
  const { url, tokenFile, insecureTransport } = settings;
  if (url === undefined || insecureTransport || !isInsecureTransport(url)) return;
  const { protocol, host, username, password } = new URL(url);
  if (tokenFile === undefined && username === '' && password === '') return;
  const problem = `refusing to send a token over ${protocol}// to ${host}, where others can read it`;
  const secure = protocol.replace(/:$/, 's:');
  throw settingError(setting, `${problem}; use ${secure}//, or allow it with --insecure-transport`);
}
