import { mkdir, stat, writeFile } from 'node:fs/promises';
import { posix } from 'node:path';
import { isMissing } from '../../../errors/index.ts';
import { createError, mkdirError, statError } from '../../../go/file-error.ts';
import { quote } from '../../../go/strconv.ts';
import { printManifest } from '../../../render/manifest/documents.ts';
import { afterRender, type Printed, type Rendered } from '../../template/template-chart.ts';

/** Paths of the folders that files are written to. */
interface OutputFolders {
  readonly crds: string;
  readonly templates: string;
}

/**
 * Writes manifests to files in a folder, by the paths of their templates, as `helm template
 * --output-dir` does, and prints a line for each. Throws errors with Helm's texts.
 */
export async function writeManifests(
  { crds, manifests, hooks }: Printed,
  folders: OutputFolders,
  print: (line: string) => void,
): Promise<void> {
  [...crds, ...manifests, ...hooks].forEach(refuseHidden);
  const written = new Set<string>();
  const write = async (folder: string, rendered: Rendered, append: boolean) => {
    const path = `${folder}/${rendered.path}`;
    await writeManifest(path, rendered, append);
    written.add(rendered.path);
    print(`wrote ${path}\n`);
  };
  try {
    for (const crd of crds) await write(folders.crds, crd, written.has(crd.path));
    for (const manifest of manifests) await write(folders.templates, manifest, written.has(manifest.path));
  } catch (error) {
    throw error instanceof Error ? afterRender(error) : error;
  }
  // as in Helm, a hook is added to a file that is there, which a manifest replaces
  for (const hook of hooks) await write(folders.templates, hook, true);
}

/** The chart names the folder, which must not be one of the user's settings, of git, or above. */
function refuseHidden({ path }: Rendered): void {
  if (/^[./\\]/.test(path) || path.split('/').includes('..'))
    throw new Error(`the manifest ${quote(path)} would be in a hidden folder`);
}

async function writeManifest(path: string, { path: source, content }: Rendered, append: boolean): Promise<void> {
  await createFolder(posix.normalize(posix.dirname(path)));
  await writeFile(path, printManifest(source, content), { flag: append ? 'a' : 'w' }).catch((error: unknown) => {
    throw createError(path, error);
  });
}

async function createFolder(path: string): Promise<void> {
  const facts = await stat(path).catch((error: unknown) => {
    if (!isMissing(error)) throw statError(path, error);
  });
  if (facts?.isDirectory()) return;
  await mkdir(path, { recursive: true, mode: 0o755 }).catch((error: unknown) => {
    throw mkdirError(path, error);
  });
}
