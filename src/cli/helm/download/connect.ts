import { readFile } from 'node:fs/promises';
import type { Dispatcher } from 'undici';
import { openError } from '../../../go/file-error.ts';
import { clientDispatcher } from '../../../source/http/repository-dispatcher.ts';
import type { HelmContext } from '../context.ts';

/** The files with which a client identifies itself and trusts servers. An empty text is none. */
export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
  readonly caFile: string;
  readonly insecureSkipTlsVerify: boolean;
}

/**
 * Returns the dispatcher for requests with these files; undefined if undici's global one does. As
 * in Helm, a certificate counts only together with its key.
 */
export async function connect(files: TlsFiles, { env }: Pick<HelmContext, 'env'>): Promise<Dispatcher | undefined> {
  const hasCertificate = files.certFile !== '' && files.keyFile !== '';
  const [cert, key] = hasCertificate
    ? [await pemFile(files.certFile), await pemFile(files.keyFile)]
    : [undefined, undefined];
  const ca = files.caFile === '' ? undefined : await pemFile(files.caFile, `can't read CA file: ${files.caFile}: `);
  return clientDispatcher({ ca, cert, key, insecure: files.insecureSkipTlsVerify, env });
}

async function pemFile(path: string, problem = ''): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new Error(`can't create TLS config for client: ${problem}${openError(path, cause).message}`, { cause });
  }
}
