// Bundles the program for the image: FOLDER/helm-agent.mjs and the render worker beside it.
import { build } from 'esbuild';

const [folder = 'dist/bundle'] = process.argv.slice(2);

await build({
  entryPoints: { 'helm-agent': 'src/bin/helm-agent.ts', 'render-worker': 'src/bin/render-worker.ts' },
  outdir: folder,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  // CommonJS packages inside an ES module bundle ask for these
  banner: {
    js: [
      "import { createRequire as createRequireForBundle } from 'node:module';",
      'const require = createRequireForBundle(import.meta.url);',
      'const __filename = import.meta.filename, __dirname = import.meta.dirname;',
    ].join('\n'),
  },
  logLevel: 'info',
});
