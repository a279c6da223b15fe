import { createHash } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build, type Metafile } from 'esbuild';

const source = fileURLToPath(new URL('../src/dashboard', import.meta.url));

/** Most bytes of script without the terminal, compressed by gzip. */
const maxScriptBytes = 150 * 1024;

/**
 * Builds the dashboard into a folder: the page, and files whose names have a hash of their content.
 * Returns the bytes of script without the terminal, compressed. Rejects if they are too many.
 */
export async function buildDashboard(folder: string): Promise<number> {
  const { outputFiles, metafile } = await build({
    entryPoints: { dashboard: join(source, 'main.tsx'), style: join(source, 'style/style.css') },
    outdir: folder,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    minify: true,
    platform: 'browser',
    target: ['chrome123', 'firefox120', 'safari17.5'],
    format: 'esm',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    write: false,
    metafile: true,
    logLevel: 'warning',
  });
  const nameOf = (pattern: RegExp) => {
    const file = outputFiles.find(({ path }) => pattern.test(basename(path)));
    if (!file) throw new Error(`esbuild has written no file with a name like ${String(pattern)}`);
    return file;
  };
  const [script, style] = [nameOf(/^dashboard-\w+\.js$/), nameOf(/^style-\w+\.css$/)];
  const icon = `icon-${createHash('sha256').update(iconText).digest('hex').slice(0, 8)}.svg`;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const { path, contents } of outputFiles) await writeFile(path, contents);
  await writeFile(join(folder, icon), iconText);
  await writeFile(join(folder, 'index.html'), pageOf(basename(script.path), basename(style.path), icon));
  const first = firstScripts(metafile, basename(script.path));
  const scriptBytes = outputFiles
    .filter(({ path }) => first.has(basename(path)))
    .reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0);
  if (scriptBytes > maxScriptBytes) throw new Error(`the script of the dashboard has ${scriptBytes} bytes`);
  return scriptBytes;
}

/** Returns the names of a script and of those that it imports before it runs. */
function firstScripts({ outputs }: Metafile, name: string): Set<string> {
  const found = new Set<string>();
  const add = (path: string) => {
    if (found.has(basename(path))) return;
    found.add(basename(path));
    const { imports = [] } = outputs[path] ?? {};
    for (const one of imports) if (one.kind === 'import-statement') add(one.path);
  };
  const entry = Object.keys(outputs).find((path) => basename(path) === name);
  if (entry !== undefined) add(entry);
  return found;
}

const iconText = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#2f5bd0"/><path d="M9 8v16M23 8v16M9 16h14" stroke="#fff" stroke-width="4" stroke-linecap="round"/></svg>
`;

function pageOf(script: string, style: string, icon: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>helm-agent</title>
    <link rel="icon" type="image/svg+xml" href="/assets/${icon}" />
    <link rel="stylesheet" href="/assets/${style}" />
    <script type="module" src="/assets/${script}"></script>
  </head>
  <body>
    <noscript>The dashboard needs JavaScript.</noscript>
  </body>
</html>
`;
}
