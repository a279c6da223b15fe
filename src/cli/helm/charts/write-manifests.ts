import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { quote } from '../../../go/strconv.ts';
import { splitDocuments } from '../../../render/manifest/documents.ts';

/**
 * Writes manifests to files in a folder, by the paths of their templates, and returns what
 * `helm template --output-dir` prints.
 */
export async function writeManifests(output: string, folder: string): Promise<string> {
  const written = new Set<string>();
  let printed = '';
  for (const text of splitDocuments(output)) {
    const name = /^# Source: (.+)/.exec(text)?.[1];
    if (name === undefined || name.split('/').includes('..')) continue;
    // the chart names the folder, which must not be one of the user's settings or of git
    if (/^[./\\]/.test(name)) throw new Error(`the manifest ${quote(name)} would be in a hidden folder`);
    const path = `${folder}/${name}`;
    await mkdir(dirname(path), { recursive: true, mode: 0o755 });
    await writeFile(path, `---\n${text.replace(/\n$/, '')}\n`, { flag: written.has(path) ? 'a' : 'w' });
    written.add(path);
    printed += `wrote ${path}\n`;
  }
  return `${printed}\n`;
}
