import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import type { ExecutionContext } from 'ava';
import { pack } from 'tar-stream';
import { indexYaml, serve, type TestRepository, type TestResponse } from '../../source/test-repository.ts';

/** A symbolic link in an archive. */
interface Link {
  linkTo: string;
}

/** Returns a .tgz with the given entries. */
export async function archiveOf(entries: Record<string, string | Link>): Promise<Buffer> {
  const tar = pack();
  for (const [name, content] of Object.entries(entries)) {
    if (typeof content === 'string') tar.entry({ name }, content);
    else tar.entry({ name, type: 'symlink', linkname: content.linkTo });
  }
  tar.finalize();
  return gzipSync(await buffer(tar));
}

export function chartYaml(name: string): string {
  return `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n`;
}

/** Returns a packed chart `app` with the given templates. */
export async function packedApp(templates: Record<string, string>): Promise<Buffer> {
  const files = Object.entries(templates).map(([name, text]) => [`app/templates/${name}`, text] as const);
  return archiveOf({ 'app/Chart.yaml': chartYaml('app'), ...Object.fromEntries(files) });
}

/** Starts a repository with the archive as version 1.0.0 of the chart `app`. */
export async function serveApp(t: ExecutionContext, archive: TestResponse): Promise<TestRepository> {
  return serve(t, { '/index.yaml': indexYaml({ app: [{ version: '1.0.0' }] }), '/app-1.0.0.tgz': archive });
}

const mebibyte = 1024 * 1024;

/** Returns two megabytes that unpack to two gigabytes of zeros. */
export function zipBomb(): Buffer {
  const member = gzipSync(Buffer.alloc(16 * mebibyte));
  return Buffer.concat(Array.from({ length: 128 }, () => member));
}

/** Returns an archive that declares a file of four gigabytes and contains only a little of it. */
export async function hugeFile(): Promise<Buffer> {
  const tar = pack();
  tar.entry({ name: 'app/values.yaml', size: 4096 * mebibyte }).write(Buffer.alloc(mebibyte));
  const chunks: Buffer[] = [];
  for await (const chunk of tar as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    if (chunks.length === 2) break;
  }
  return gzipSync(Buffer.concat(chunks));
}
