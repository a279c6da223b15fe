import type { FieldFlag } from './field.ts';

/** The flags that `helm template`, which does not load the table of commands, shares with it. */
export const renderFlags = {
  dependencyUpdate: {
    name: 'dependency-update',
    kind: 'switch',
    help: 'download the dependencies that charts/ does not contain',
  },
  skipSchemaValidation: {
    name: 'skip-schema-validation',
    kind: 'switch',
    help: 'do not check the values against values.schema.json',
  },
  enableDns: { name: 'enable-dns', kind: 'switch', help: 'let templates resolve host names' },
  includeCrds: { name: 'include-crds', kind: 'switch', help: 'also print the CRDs of the chart' },
  skipTests: { name: 'skip-tests', kind: 'switch', help: 'leave out tests' },
  isUpgrade: {
    name: 'is-upgrade',
    kind: 'switch',
    help: 'set .Release.IsUpgrade instead of .Release.IsInstall',
  },
} as const satisfies Record<string, FieldFlag>;
