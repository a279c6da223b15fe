import { cp, mkdir, readFile, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A package that the program loads from node_modules, so that its users can replace it. */
export const unbundledPackage = 'openpgp';

/** The GPL 3.0, which the LGPL refers to. The package does not have it. */
const referredLicense = fileURLToPath(new URL('licenses/GPL-3.0.txt', import.meta.url));

/**
 * Copies the package to a folder node_modules, unchanged: what describes and licenses it, and the
 * module that Node loads. It has 17 MB with its builds for other platforms. Adds the license that
 * its own refers to. Returns the number of bytes.
 */
export async function copyUnbundledPackage(modules: string): Promise<number> {
  const loaded = fileURLToPath(import.meta.resolve(unbundledPackage));
  const root = await packageRoot(dirname(loaded));
  const files = ['package.json', 'LICENSE', relative(root, loaded)].map((file) => [join(root, file), file] as const);
  const sizes = [...files, [referredLicense, 'LICENSE.GPL-3.0'] as const].map(async ([source, file]) => {
    const target = join(modules, unbundledPackage, file);
    await mkdir(dirname(target), { recursive: true });
    await cp(source, target);
    return (await stat(target)).size;
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

async function packageRoot(folder: string): Promise<string> {
  const manifest = await readFile(join(folder, 'package.json'), 'utf8').catch(() => '{}');
  const { name } = JSON.parse(manifest) as { name?: string };
  return name === unbundledPackage ? folder : packageRoot(dirname(folder));
}
