// The layers of docs/architecture.md: a folder of src/ may import itself and the folders beside its name, no other.
const below = {
  go: [],
  yaml: ['go'],
  template: ['go'],
  x509: ['go'],
  functions: ['go', 'yaml', 'template', 'x509'],
  objects: [],
  threads: [],
  chart: ['go', 'yaml'],
  release: ['go', 'chart', 'objects'],
  render: ['go', 'yaml', 'template', 'functions', 'chart', 'release', 'objects'],
  lint: ['go', 'yaml', 'chart', 'render'],
  jsonpath: ['go'],
  source: ['go', 'yaml', 'chart'],
  readiness: ['objects'],
  operation: ['go', 'yaml', 'template', 'functions', 'objects', 'chart', 'release', 'render', 'source', 'readiness'],
  kube: ['objects'],
  journal: ['operation'],
  protocol: [],
  agent: ['operation', 'journal', 'source', 'protocol'],
  'control-plane': ['protocol'],
  sandbox: ['objects', 'x509'],
};
const everything = Object.keys(below);

function layer(name, allowed) {
  return {
    name: `layer-${name}`,
    comment: `src/${name} may import ${allowed.join(', ') || 'no other layer'}`,
    severity: 'error',
    from: { path: `^src/${name}/` },
    to: { path: '^src/', pathNot: `^src/(${[name, ...allowed].join('|')})/` },
  };
}

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    ...Object.entries(below).map(([name, allowed]) => layer(name, allowed)),
    layer(
      'cli',
      everything.filter((name) => name !== 'kube'),
    ),
    {
      name: 'client-node-in-kube-only',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/kube/' },
      to: { path: 'node_modules/@kubernetes/client-node' },
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
