import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext, type SecureContext } from 'node:tls';
import { messageOf } from '../../errors/index.ts';

/** Paths of PEM files for TLS with a control plane. */
export interface TlsFiles {
  /** Certificates of the CAs that are trusted, in place of those of the system. */
  ca?: string | undefined;
  /** Certificate of this client, with those between it and its CA. */
  certificate?: string | undefined;
  /** Private key of the certificate. */
  key?: string | undefined;
}

/** Reads the files each time that they are needed, because mounted Secrets can change. */
export type TlsSource = () => Promise<SecureContext>;

/** A file for TLS that cannot be used. */
class TlsFileError extends Error {
  override readonly name = 'TlsFileError';
  readonly code = 'tls_file_unreadable';
}

/** Returns a source of the files. It rejects with `TlsFileError`. */
export function tlsFiles({ ca, certificate, key }: TlsFiles): TlsSource {
  return async () => {
    const [caText, certificateText, keyText] = await Promise.all([
      read('the CA', ca),
      read('the client certificate', certificate),
      read('the key of the client certificate', key),
    ]);
    // OpenSSL ignores texts without a certificate
    if (caText !== undefined) requireCertificate('the CA', ca, caText);
    if (certificateText !== undefined) requireCertificate('the client certificate', certificate, certificateText);
    try {
      return createSecureContext({ ca: caText, cert: certificateText, key: keyText });
    } catch (error) {
      const reason = messageOf(error);
      throw new TlsFileError(`the client certificate and its key cannot be used together: ${reason}`);
    }
  };
}

async function read(role: string, path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  return readFile(path, 'utf8').catch((error: unknown) => {
    throw new TlsFileError(`cannot read the file of ${role}: ${error instanceof Error ? error.message : path}`);
  });
}

function requireCertificate(role: string, path: string | undefined, text: string): void {
  try {
    new X509Certificate(text);
  } catch {
    throw new TlsFileError(`the file of ${role}, ${path ?? ''}, must have a certificate in PEM`);
  }
}
