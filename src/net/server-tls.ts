import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Server as HttpsServer } from 'node:https';
import { messageOf } from '../errors/index.ts';

/** Paths of the PEM files with which a server proves who it is. */
export interface ServerTlsFiles {
  /** Its certificate, with those between it and its CA. */
  certificate: string;
  /** The private key of the certificate, without a passphrase. */
  key: string;
}

/** A certificate and its key, in PEM. */
export interface ServerKeyPair {
  cert: string;
  key: string;
}

/** A certificate or a key that a server cannot use. */
export class ServerTlsError extends Error {
  override readonly name = 'ServerTlsError';
  readonly code = 'tls_file_unreadable';
  /** The file that is wrong. */
  readonly file: keyof ServerTlsFiles;

  constructor(file: keyof ServerTlsFiles, message: string) {
    super(message);
    this.file = file;
  }
}

/** Reads a certificate and its key. Rejects with `ServerTlsError`. */
export async function readServerTls(files: ServerTlsFiles): Promise<ServerKeyPair> {
  const [cert, key] = await Promise.all([read('certificate', files), read('key', files)]);
  const certificate = parse(() => new X509Certificate(cert));
  if (certificate === undefined) {
    throw new ServerTlsError('certificate', `${files.certificate} must have a certificate in PEM`);
  }
  const privateKey: KeyObject | undefined = parse(() => createPrivateKey(key));
  if (privateKey === undefined) {
    throw new ServerTlsError('key', `${files.key} must have a private key in PEM, without a passphrase`);
  }
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new ServerTlsError('key', `the key in ${files.key} is not that of the certificate in ${files.certificate}`);
  }
  return { cert, key };
}

async function read(file: keyof ServerTlsFiles, files: ServerTlsFiles): Promise<string> {
  return readFile(files[file], 'utf8').catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : files[file];
    throw new ServerTlsError(file, `cannot read the ${file}: ${reason}`);
  });
}

/** Returns undefined if the text cannot be parsed; the errors of OpenSSL explain little. */
function parse<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** How a server proves who it is. */
export interface ServerTls {
  /** The certificate and key at the start. */
  pair: ServerKeyPair;
  /** Uses the present files for new connections from now on. Stops when the server is closed. */
  follow: (server: Pick<HttpsServer, 'setSecureContext' | 'once'>) => void;
}

export interface ServerTlsOptions {
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
  /** Interval between checks of the files, in milliseconds. Default: 5000. */
  intervalMs?: number;
}

/**
 * Opens the files of a server. They are read again while it runs, because mounted Secrets change. A
 * pair that cannot be used is logged, and the one before stays. Rejects with `ServerTlsError`.
 */
export async function openServerTls(files: ServerTlsFiles, options: ServerTlsOptions): Promise<ServerTls> {
  const { log, intervalMs = 5000 } = options;
  const pair = await readServerTls(files);
  return {
    pair,
    follow(server) {
      let current = pair;
      let problem = '';
      let isReading = false;
      const use = async () => {
        const last = problem;
        try {
          const next = await readServerTls(files);
          problem = '';
          if (next.cert === current.cert && next.key === current.key) return;
          server.setSecureContext({ ...next, minVersion: minTlsVersion });
          current = next;
          log.info({ file: files.certificate }, 'the server has a new certificate');
        } catch (error) {
          problem = messageOf(error);
          if (problem !== last) log.warn({ reason: problem }, 'cannot use the new certificate; the one before stays');
        }
      };
      const timer = setInterval(() => {
        if (isReading) return;
        isReading = true;
        void use().finally(() => (isReading = false));
      }, intervalMs);
      timer.unref();
      server.once('close', () => clearInterval(timer));
    },
  };
}

/** The oldest version of TLS that servers accept. */
export const minTlsVersion = 'TLSv1.2';
