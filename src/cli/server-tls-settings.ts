import { readServerTls, ServerTlsError, type ServerTlsFiles } from '../net/server-tls.ts';
import { settingError, type Settings } from './settings.ts';

/** The certificate with which a server proves who it is, for `control-plane` and `run --listen`. */
export const serverTlsSettings = {
  tlsCertificate: {
    flag: 'tls-certificate',
    value: 'file',
    variable: 'HELM_AGENT_TLS_CERTIFICATE',
    description: 'file with the certificate of this server, to serve TLS; read again when it changes',
    default: 'none; plain HTTP is served',
  },
  tlsKey: {
    flag: 'tls-key',
    value: 'file',
    variable: 'HELM_AGENT_TLS_KEY',
    description: 'file with the private key of --tls-certificate; read again when it changes',
    default: 'none',
  },
} satisfies Settings<string>;

interface Given {
  tlsCertificate?: string | undefined;
  tlsKey?: string | undefined;
}

/** Whether both files are given, or none. */
export function areTlsFilesComplete({ tlsCertificate, tlsKey }: Given): boolean {
  return (tlsCertificate === undefined) === (tlsKey === undefined);
}

export const incompleteTlsFiles = 'give both --tls-certificate and --tls-key, or neither';

/** Returns the files, or undefined if there are none. */
export function serverTlsFiles(certificate: string | undefined, key: string | undefined): ServerTlsFiles | undefined {
  return certificate === undefined || key === undefined ? undefined : { certificate, key };
}

/** Checks that a server can use the files. Rejects with `SettingError`. */
export async function requireServerTls({ tlsCertificate, tlsKey }: Given): Promise<void> {
  const files = serverTlsFiles(tlsCertificate, tlsKey);
  if (files === undefined) return;
  await readServerTls(files).catch((error: unknown) => {
    if (!(error instanceof ServerTlsError)) throw error;
    const setting = error.file === 'certificate' ? serverTlsSettings.tlsCertificate : serverTlsSettings.tlsKey;
    throw settingError(setting, error.message);
  });
}
