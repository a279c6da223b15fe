// Bundles the program for the image: FOLDER/helm-agent.mjs, the threads, and parts that all share.
// Usage: npm run bundle -- FOLDER
import { build } from 'esbuild';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: npm run bundle -- FOLDER');

await build({
  entryPoints: {
    'helm-agent': 'src/bin/helm-agent.ts',
    'text-thread': 'src/bin/text-thread.ts',
    'render-worker': 'src/bin/render-worker.ts',
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
  // CommonJS packages need these names, which an ES module does not have.
  banner: {
    js: [
      "import { createRequire as createRequireForBundle } from 'node:module';",
      'const require = createRequireForBundle(import.meta.url);',
      'const __filename = import.meta.filename, __dirname = import.meta.dirname;',
    ].join('\n'),
  },
  logLevel: 'info',
});
