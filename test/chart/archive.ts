import { gzipSync } from 'node:zlib';
import type { Header } from 'tar-stream';
import { pack } from 'tar-stream';

/** An archive entry: its contents, or a header and its contents. */
export type Entry = string | Uint8Array | { header: Partial<Header>; data?: string };

/** Returns a .tgz with these entries by full name. */
export async function archiveOf(entries: Record<string, Entry>): Promise<Uint8Array> {
  const tar = pack();
  for (const [name, entry] of Object.entries(entries)) {
    if (typeof entry === 'string') tar.entry({ name }, entry);
    else if (entry instanceof Uint8Array) tar.entry({ name }, Buffer.from(entry));
    else tar.entry({ name, ...entry.header }, entry.data ?? '');
  }
  tar.finalize();
  const chunks: Uint8Array[] = [];
  for await (const chunk of tar) chunks.push(chunk as Uint8Array);
  return gzipSync(Buffer.concat(chunks));
}

/** Returns a minimal Chart.yaml. */
export function chartYaml(name: string, more = ''): string {
  return `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n${more}`;
}
