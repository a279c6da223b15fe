// Bundles the program for the image: FOLDER/helm-agent.mjs, the threads, and parts that all share,
// and the dashboard.
// Beside them it copies node_modules/openpgp, which is not bundled because it has the LGPL. The npm
// package has no copy, but depends on it.
// Usage: npm run bundle -- FOLDER [--for-npm [MODULE…]]; the modules are programs of tests
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { buildDashboard } from './build-dashboard.ts';
import { plainBuiltins, promClientParts, undiciParts, unusedClientFiles, unusedProxies } from './bundle-plugins.ts';
import { copyUnbundledPackage, unbundledPackage } from './unbundled-package.ts';

const [folder, option, ...modules] = process.argv.slice(2);
const usage = 'usage: npm run bundle -- FOLDER [--for-npm [MODULE…]]';
if (folder === undefined || ![undefined, '--for-npm'].includes(option)) throw new Error(usage);

// CommonJS packages need these names, which an ES module does not have.
const commonJsNames = [
  "import { createRequire as createRequireForBundle } from 'node:module';",
  'const require = createRequireForBundle(import.meta.url);',
  'const __filename = import.meta.filename, __dirname = import.meta.dirname;\n',
].join('\n');

const { outputFiles } = await build({
  entryPoints: {
    'helm-agent': 'src/bin/helm-agent.ts',
    'worker-thread': 'src/bin/worker-thread.ts',
    'render-worker': 'src/bin/render-worker.ts',
    'condition-thread': 'src/bin/condition-thread.ts',
    'sqlite-thread': 'src/control-plane/store/sqlite-thread.ts',
    ...Object.fromEntries(modules.map((module) => [basename(module, '.ts'), module])),
  },
  outdir: folder,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  // each command loads only what it needs, and the source of all of it stays in memory
  splitting: true,
  chunkNames: '[name]-[hash]',
  minifyWhitespace: true,
  minifySyntax: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  external: [unbundledPackage],
  plugins: [unusedProxies, unusedClientFiles, undiciParts, promClientParts, plainBuiltins],
  write: false,
  logLevel: 'info',
});

await mkdir(folder, { recursive: true });
for (const { path, text } of outputFiles) {
  const needsNames = /\b(?:require|__filename|__dirname)\b/.test(text);
  await writeFile(path, needsNames ? text.replace(/^(?:#!.*\n)?/, (line) => line + commonJsNames) : text);
}
const bytes = outputFiles.reduce((sum, { contents }) => sum + contents.length, 0);
console.log(`${outputFiles.length} files, ${(bytes / 2 ** 20).toFixed(1)} MiB`);
const scriptBytes = await buildDashboard(join(folder, 'dashboard'));
console.log(`dashboard: ${(scriptBytes / 1024).toFixed(1)} KiB of script, compressed`);
if (option === undefined) {
  const copied = await copyUnbundledPackage(join(folder, 'node_modules'));
  console.log(`${unbundledPackage}: ${(copied / 2 ** 20).toFixed(1)} MiB`);
}
