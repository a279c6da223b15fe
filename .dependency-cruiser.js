// Import rules. The layers come from the table in docs/architecture.md, so that both always agree.
import { existsSync, readdirSync, readFileSync } from 'node:fs';

const layers = readLayers('docs/architecture.md');

/** Returns the folders that each folder of src/ may import. Throws if the table is not complete. */
function readLayers(file) {
  const text = readFileSync(new URL(file, import.meta.url), 'utf8');
  const [, table] = /^\| Folder \| Its one job \| May import \|\n\|[-|]+\|\n((?:\|.*\n)+)/m.exec(text) ?? [];
  if (table === undefined) throw new Error(`${file}: no table with the columns Folder, Its one job, May import`);
  const rows = table
    .trimEnd()
    .split('\n')
    .map((row) => parseRow(file, row));
  const folders = rows.map(({ folder }) => folder);
  const actual = readdirSync(new URL('src', import.meta.url));
  const different = new Set(folders).symmetricDifference(new Set(actual));
  if (different.size > 0) throw new Error(`${file}: the table and src/ differ in ${[...different].join(', ')}`);
  return rows.map(({ folder, imports }) => ({ folder, allowed: allowedFolders(file, imports, folders) }));
}

function parseRow(file, row) {
  const [, folder, imports] = /^\| `([\w-]+)\/` \|[^|]+\| ([^|]+) \|$/.exec(row) ?? [];
  if (folder === undefined) throw new Error(`${file}: cannot read the row ${row}`);
  return { folder, imports };
}

/** Parses `none`, `all`, `all except a, b` or `a, b`. */
function allowedFolders(file, imports, folders) {
  if (imports === 'none') return [];
  if (imports === 'all') return folders;
  const [, except, names] = /^(all except )?(.+)$/.exec(imports);
  const named = names.split(', ');
  const unknown = named.filter((name) => !folders.includes(name));
  if (unknown.length > 0) throw new Error(`${file}: unknown folders in the table: ${unknown.join(', ')}`);
  return except === undefined ? named : folders.filter((name) => !named.includes(name));
}

function layerRule({ folder, allowed }) {
  return {
    name: `layer-${folder}`,
    comment: `src/${folder} may import ${allowed.join(', ') || 'no other folder'}`,
    severity: 'error',
    from: { path: `^src/${folder}/` },
    to: { path: '^src/', pathNot: `^src/(${[folder, ...allowed].join('|')})/` },
  };
}

/** Folders whose `index.ts` has less than the other folders need. */
const openFolders = ['control-plane', 'operation', 'render'];

/** Folders that others import only by their `index.ts`. */
const closedFolders = readdirSync(new URL('src', import.meta.url)).filter(
  (folder) => !openFolders.includes(folder) && existsSync(new URL(`src/${folder}/index.ts`, import.meta.url)),
);

function entryRule(folder) {
  return {
    name: `entry-${folder}`,
    comment: `other folders import src/${folder}/index.ts`,
    severity: 'error',
    from: { path: '^src/', pathNot: `^src/${folder}/` },
    to: { path: `^src/${folder}/`, pathNot: `^src/${folder}/index\\.ts$` },
  };
}

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    ...layers.map(layerRule),
    ...closedFolders.map(entryRule),
    {
      name: 'client-node-in-kube-only',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/kube/' },
      to: { path: 'node_modules/@kubernetes/client-node' },
    },
    {
      name: 'openpgp-when-needed',
      comment: 'it takes about 100 ms to load: import only types, or import it dynamically',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: 'node_modules/openpgp', dynamic: false, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'sigstore-when-needed',
      comment: 'few policies have keys that need it: import keyless.ts dynamically, and the library only there',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/source/verification/keyless\\.ts$' },
      to: {
        path: ['node_modules/@sigstore', '^src/source/verification/keyless\\.ts$'],
        dynamic: false,
        dependencyTypesNot: ['type-only'],
      },
    },
    { name: 'src-imports-no-tests', severity: 'error', from: { path: '^src/' }, to: { path: '^(test|tools)/' } },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'default'] },
  },
};
