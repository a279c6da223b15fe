import { readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { type RawMetadata, readMetadata } from '../chart/metadata/read-metadata.ts';
import { asTable } from '../chart/values/table.ts';
import { codeOf } from '../errors/index.ts';
import { isVersion, parseVersion } from '../go/semver.ts';
import { parseConstraint, satisfies } from '../go/semver-constraint.ts';
import { quote } from '../go/strconv.ts';
import { sortedKeys } from '../go/text.ts';
import { goTypeOf, isList } from '../go/types.ts';
import type { Value } from '../go/value.ts';
import { duplicateKeyProblem } from '../yaml/duplicate-keys.ts';
import { readYaml } from '../yaml/read.ts';
import { YamlError } from '../yaml/yaml-error.ts';
import type { Report } from './finding.ts';
import { isEmail, isRequestUrl, isWebAddress } from './web-address.ts';

const file = 'Chart.yaml';
const versions = 'The value must be either "v1" or "v2"';

/** Lints Chart.yaml (pkg/chart/v2/lint/rules/chartfile.go). */
export async function lintChartFile(folder: string, report: Report): Promise<void> {
  const path = join(folder, file);
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (codeOf(error) !== 'EISDIR') throw error;
    return undefined;
  });
  if (text === undefined) {
    report('ERROR', file, 'should be a file, not a directory');
    report('ERROR', file, `unable to parse YAML\n\tread ${path}: is a directory`);
    return;
  }
  const metadata = parse(text, report);
  if (metadata === undefined) return;

  const fields = readYaml(text);
  const problem = strictProblem(text, fields);
  report('WARNING', file, problem && `failed to strictly parse chart metadata file\n\t${problem}`);
  lintMetadata(metadata, fields, report);
}

/**
 * Returns the problem with the keys of a Chart.yaml: a duplicate, or one that Helm does not know.
 */
function strictProblem(text: string, fields: Value): string | undefined {
  const duplicates = duplicateKeyProblem(text);
  if (duplicates !== '') return duplicates;
  const unknown = unknownField(fields);
  return unknown && `error unmarshaling JSON: while decoding JSON: json: unknown field ${quote(unknown)}`;
}

function parse(text: string, report: Report): RawMetadata | undefined {
  try {
    return readMetadata(text);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    report('ERROR', file, `unable to parse YAML\n\t${error.message}`);
    return undefined;
  }
}

function lintMetadata(metadata: RawMetadata, fields: Value, report: Report): void {
  const { icon, version } = metadata;
  report('ERROR', file, nameProblem(metadata.name));
  report('ERROR', file, apiVersionProblem(metadata.apiVersion));
  report('ERROR', file, typeProblem(fields, 'version'));
  report('ERROR', file, versionProblem(version));
  report('ERROR', file, typeProblem(fields, 'appVersion'));
  report('ERROR', file, maintainerProblem(metadata.maintainers ?? []));
  const source = (metadata.sources ?? []).find((url) => !isRequestUrl(url));
  report('ERROR', file, source === undefined ? undefined : `invalid source URL '${source}'`);
  report('INFO', file, icon === '' ? 'icon is recommended' : undefined);
  report('ERROR', file, icon !== '' && !isRequestUrl(icon) ? `invalid icon URL '${icon}'` : undefined);
  lintV2Fields(metadata, report);
  report('WARNING', file, strictVersionProblem(version));
}

/** Reports fields that are allowed only with apiVersion v2. */
function lintV2Fields({ apiVersion, type, dependencies = [] }: RawMetadata, report: Report): void {
  if (apiVersion === 'v2') return;
  if (type !== '') {
    report('ERROR', file, `chart type is not valid in apiVersion '${apiVersion}'. It is valid in apiVersion 'v2'`);
  }
  if (dependencies.length > 0) {
    const text = `dependencies are not valid in the Chart file with apiVersion '${apiVersion}'. They are valid in apiVersion 'v2'`;
    report('ERROR', file, text);
  }
}

function nameProblem(name: string): string | undefined {
  if (name === '') return 'name is required';
  return posix.basename(name) === name ? undefined : `chart name ${quote(name)} is invalid`;
}

function apiVersionProblem(apiVersion: string): string | undefined {
  if (apiVersion === '') return `apiVersion is required. ${versions}`;
  return ['v1', 'v2'].includes(apiVersion) ? undefined : `apiVersion '${apiVersion}' is not valid. ${versions}`;
}

function typeProblem(fields: Value, key: string): string | undefined {
  const value = asTable(fields)?.get(key);
  if (value === undefined || typeof value === 'string') return undefined;
  return `${key} should be of type string but it's of type ${goTypeOf(value)}`;
}

function maintainerProblem(maintainers: NonNullable<RawMetadata['maintainers']>): string | undefined {
  for (const maintainer of maintainers) {
    if (maintainer === null) return 'a maintainer entry is empty';
    const { name, email, url } = maintainer;
    if (name === '') return 'each maintainer requires a name';
    if (email !== '' && !isEmail(email)) return `invalid email '${email}' for maintainer '${name}'`;
    if (url !== '' && !isWebAddress(url)) return `invalid url '${url}' for maintainer '${name}'`;
  }
  return undefined;
}

const lowest = '0.0.0-0';

/** Returns the problem with a chart's version. */
function versionProblem(version: string): string | undefined {
  if (version === '') return 'version is required';
  if (!isVersion(version)) return `version '${version}' is not a valid SemVer`;
  if (satisfies(parseVersion(version), parseConstraint(`>${lowest}`))) return undefined;
  return `version ${quote(version)} is less than or equal to ${quote(lowest)}`;
}

/**
 * Returns the problem with a version that is not strict SemVer, which has three numbers, no leading
 * zeros and no leading `v`.
 */
function strictVersionProblem(version: string): string | undefined {
  const isStrict = /^(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}(?![.\d])/.test(version) && isVersion(version);
  return isStrict ? undefined : `version '${version}' is not a valid SemVerV2`;
}

const maintainer = new Set(['name', 'email', 'url']);

const dependency = new Set(['name', 'version', 'repository', 'condition', 'tags', 'enabled', 'import-values', 'alias']);

const chart = new Set([
  ...[
    'name',
    'home',
    'sources',
    'version',
    'description',
    'keywords',
    'maintainers',
    'icon',
    'apiversion',
    'condition',
  ],
  ...['tags', 'appversion', 'deprecated', 'annotations', 'kubeversion', 'dependencies', 'type'],
]);

const below = new Map(Object.entries({ maintainers: maintainer, dependencies: dependency }));

/**
 * Returns the first field of a Chart.yaml that Helm does not know, in Go's order of decoding. Names
 * match in any case.
 */
function unknownField(fields: Value): string | undefined {
  const table = asTable(fields);
  if (table === undefined) return undefined;
  for (const key of sortedKeys(table)) {
    const name = key.toLowerCase();
    if (!chart.has(name)) return key;
    const known = below.get(name);
    const items = table.get(key);
    const unknown = known && isList(items) ? unknownIn(items, known) : undefined;
    if (unknown !== undefined) return unknown;
  }
  return undefined;
}

function unknownIn(items: readonly Value[], known: ReadonlySet<string>): string | undefined {
  const keys = items.flatMap((item) => (item instanceof Map ? sortedKeys(item) : []));
  return keys.find((key) => !known.has(key.toLowerCase()));
}
