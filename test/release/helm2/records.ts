import { readFile } from 'node:fs/promises';
import type { KubeObject } from '../../../src/objects/object.ts';
import type { Release } from '../../../src/release/release.ts';

/** A revision that Tiller has stored, and what the plugin helm-2to3 makes of it. */
export interface Helm2Record {
  configMap: KubeObject & { data: { release: string } };
  release: Release;
}

interface Recorded extends Pick<Helm2Record, 'configMap'> {
  release: Omit<Release, 'manifest'> & { manifest?: string };
}

/** Returns the recorded revisions, see fixtures/README.md. */
export async function helm2Records(): Promise<Helm2Record[]> {
  const text = await readFile(new URL('fixtures/records.json', import.meta.url), 'utf8');
  const records = JSON.parse(text) as Recorded[]; // the file is ours
  // as in Helm, an empty manifest is left out of the JSON
  return records.map(({ configMap, release }) => ({ configMap, release: { manifest: '', ...release } }));
}
