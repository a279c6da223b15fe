// Writes a package for each library, with the modules that it reaches and only the dependencies
// that they import, so that rendering a chart does not install WebSockets and a Kubernetes client.
// Needs dist/, so `npm run build` runs it after the compiler.
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { libraries, type Library } from './libraries.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');

interface Manifest {
  version: string;
  license: string;
  homepage: string;
  bugs: unknown;
  repository: unknown;
  engines: unknown;
  dependencies: Record<string, string>;
}

const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Manifest;
await rm(join(dist, 'packages'), { recursive: true, force: true });
for (const library of libraries) {
  const folder = join(dist, 'packages', library.folder);
  const { modules, packages } = await reachedFrom(library.modules.map((module) => join(dist, module)));
  await Promise.all(
    modules.map(async (module) => {
      const target = join(folder, relative(dist, module));
      await mkdir(dirname(target), { recursive: true });
      await cp(module, target);
    }),
  );
  await cp(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  await writeFile(join(folder, 'README.md'), library.readme);
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifestOf(library, packages), null, 2)}\n`);
  console.log(`${library.name}: ${modules.length} files, ${packages.length} dependencies: ${packages.join(', ')}`);
}

function manifestOf(library: Library, packages: readonly string[]): object {
  const { version, license, homepage, bugs, repository, engines, dependencies } = manifest;
  const [entry = ''] = library.modules;
  return {
    ...{ name: library.name, version, description: library.description, license, homepage, bugs, repository },
    ...{ type: 'module', engines, sideEffects: false },
    exports: {
      '.': { types: `./${entry.replace(/\.js$/, '.d.ts')}`, default: `./${entry}` },
      './package.json': './package.json',
    },
    dependencies: Object.fromEntries(packages.map((name) => [name, dependencies[name]])),
  };
}

/**
 * Returns the modules that the given ones import, directly or not, with their declarations, and the
 * names of the packages that these import. Throws if one is not a dependency of this package.
 */
async function reachedFrom(entries: readonly string[]): Promise<{ modules: string[]; packages: string[] }> {
  const modules = new Set(entries.flatMap(withDeclarations));
  const packages = new Set<string>();
  // a set that grows is iterated to its new end
  for (const module of modules) {
    const { importedFiles } = ts.preProcessFile(await readFile(module, 'utf8'), true, true);
    for (const { fileName } of importedFiles) {
      // declarations import the sources by their own names
      const imported = join(dirname(module), fileName.replace(/\.ts$/, '.js'));
      if (fileName.startsWith('.')) withDeclarations(imported).forEach((file) => modules.add(file));
      else if (!isBuiltin(fileName)) packages.add(packageOf(fileName, module));
    }
  }
  return { modules: [...modules], packages: [...packages].sort() };
}

/** Returns a JavaScript module and its declarations. */
function withDeclarations(module: string): string[] {
  return [module, module.replace(/\.js$/, '.d.ts')];
}

function packageOf(specifier: string, module: string): string {
  const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
  if (Object.hasOwn(manifest.dependencies, name)) return name;
  throw new Error(`${relative(root, module)} imports ${specifier}, which package.json does not have as a dependency`);
}
