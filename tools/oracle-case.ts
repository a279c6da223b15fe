// Runs one case of the oracle with the project's own code. Returns only the fields that this
// kind of case has results for.
import type { Chart, ChartFile } from '../src/chart/chart.ts';
import { readMetadata } from '../src/chart/metadata/read-metadata.ts';
import { validateMetadata } from '../src/chart/metadata/validate-metadata.ts';
import { processDependencies } from '../src/chart/process-dependencies.ts';
import { setFiles, setJson, setLiteral, setStrings, setValues } from '../src/chart/strvals/index.ts';
import { coalesceValues, mergeValues } from '../src/chart/values/coalesce.ts';
import type { Warn } from '../src/chart/values/coalesce-tables.ts';
import { loadValues } from '../src/chart/values/load-values.ts';
import { mergeValueOptions } from '../src/chart/values/value-options.ts';
import { sprintf } from '../src/go/fmt.ts';
import { encodeJson } from '../src/go/json-encode.ts';
import { sortedKeys, toBytes } from '../src/go/text.ts';
import { goTypeOf, isList, isMap } from '../src/go/types.ts';
import type { Value, ValueMap } from '../src/go/value.ts';
import { createEngines } from '../src/render/engines.ts';
import { defaultRenderLimits } from '../src/render/limits.ts';
import { processHost } from '../src/render/process-host.ts';
import { knownApiVersions } from '../src/render/scope/api-versions.ts';
import { type Capabilities, parseKubeVersion } from '../src/render/scope/capabilities.ts';
import { chartTemplates } from '../src/render/scope/chart-templates.ts';
import { TypedScalar, type YamlTree } from '../src/yaml/compose.ts';
import { readTypedYaml, readYaml, readYamlMap } from '../src/yaml/read.ts';
import { writeYaml, writeYamlPretty } from '../src/yaml/write.ts';

interface ChartSpec {
  name: string;
  version?: string;
  metadata?: object;
  values?: unknown;
  templates?: Record<string, string>;
  files?: Record<string, string>;
  dependencies?: ChartSpec[];
}

/** A case together with its recorded result. */
export interface OracleCase {
  id: string;
  template?: string;
  values?: unknown;
  set?: string[];
  files?: Record<string, string>;
  helpers?: string;
  strict?: boolean;
  lint?: boolean;
  metadata?: object;
  templates?: Record<string, string>;
  defaults?: unknown;
  dependencies?: ChartSpec[];
  upgrade?: boolean;
  chart?: ChartSpec;
  user?: unknown;
  merge?: boolean;
  process?: boolean;
  kind?: string;
  text?: string;
  base?: unknown;
  options?: Partial<
    Record<'ValueFiles' | 'JSONValues' | 'Values' | 'StringValues' | 'FileValues' | 'LiteralValues', string[]>
  >;
  yaml?: string;
}

type Result = Record<string, unknown>;

const engine = createEngines({ ...processHost(), timeZone: 'UTC' });

const capabilities: Capabilities = {
  kubeVersion: parseKubeVersion('v1.35.0'),
  apiVersions: knownApiVersions,
  helmVersion: { version: 'v4.2', gitCommit: '', gitTreeState: '', goVersion: 'go1.26.8', kubeClientVersion: 'v1.36' },
};

export function runOracleCase(one: OracleCase): Result {
  if (one.yaml !== undefined) return yamlCase(one.yaml);
  if (one.kind !== undefined) return attempt(() => strvalsCase(one));
  if (one.chart !== undefined) return valuesCase(one);
  return attempt(() => renderCase(one));
}

function attempt(run: () => Result): Result {
  try {
    return { error: undefined, ...run() };
  } catch (error) {
    return textField('error', messageOf(error));
  }
}

/** Returns the message of one of the project's own errors; other errors are bugs. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = 'code' in error || error.name === 'GoError';
  return own ? error.message : `defect: ${error.stack ?? error.message}`;
}

/** Text that is not UTF-8 is returned as base64. */
function textField(name: string, text: string): Result {
  return text.isWellFormed() ? { [name]: text } : { [`${name}_b64`]: Buffer.from(toBytes(text)).toString('base64') };
}

function renderCase(one: OracleCase): Result {
  const templates = {
    'templates/t.txt': one.template ?? '',
    ...(one.helpers === undefined || one.helpers === '' ? {} : { 'templates/_helpers.tpl': one.helpers }),
    ...one.templates,
  };
  const chart = buildChart({
    name: 'c',
    version: '1.2.3',
    templates,
    values: one.defaults,
    ...(one.metadata && { metadata: one.metadata }),
    ...(one.files && { files: one.files }),
    ...(one.dependencies && { dependencies: one.dependencies }),
  });
  chart.metadata.appVersion ??= '4.5.6';
  const user = readMap(one.values);
  for (const line of one.set ?? []) setValues(line, user);
  const values = coalesceValues(chart, user, () => undefined);
  const upgrade = one.upgrade === true;
  const release = { name: 'rel', namespace: 'ns', revision: upgrade ? 2 : 1, isInstall: !upgrade, isUpgrade: upgrade };
  const files = engine.render(chartTemplates(chart, values, release, capabilities), {
    limits: defaultRenderLimits,
    strict: one.strict ?? false,
    lint: one.lint ?? false,
  });
  const main = files.get('c/templates/t.txt') ?? '';
  files.delete('c/templates/t.txt');
  return { ...textField('output', main), ...(files.size > 0 && { outputs: Object.fromEntries(files) }) };
}

let charts = 0;

function buildChart(spec: ChartSpec): Chart {
  const metadata = { apiVersion: 'v2', name: spec.name, version: spec.version ?? '0.1.0', ...spec.metadata };
  return {
    metadata: validateMetadata(readMetadata(JSON.stringify(metadata))),
    values: readMap(spec.values),
    templates: fileList(spec.templates),
    files: fileList(spec.files),
    dependencies: (spec.dependencies ?? []).map(buildChart),
    // a unique digest for each chart
    digest: String(charts++),
  };
}

function fileList(files: Record<string, string> = {}): ChartFile[] {
  return Object.entries(files).map(([name, text]) => ({ name, data: toBytes(text) }));
}

/** Returns values as a values file has them. JSON escapes characters that YAML does not accept. */
function readMap(data: unknown): ValueMap {
  if (data === undefined) return new Map();
  const json = JSON.stringify(data, keepNegativeZero)
    .replaceAll('"\\u0000-0"', '-0.0')
    .replace(
      /[\u007f-\u00a0\u2028\u2029\ufeff-\uffff]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
  return readYamlMap(json) ?? new Map<string, Value>();
}

/** JSON.stringify would write 0, so a text that no case contains is used instead */
function keepNegativeZero(_key: string, value: unknown): unknown {
  return Object.is(value, -0) ? '\u0000-0' : value;
}

function valuesCase(one: OracleCase): Result {
  const result: Result = {};
  const warnings: string[] = [];
  // the cases have the text that Helm prints with Go's log
  const warn: Warn = (warning, attributes) => {
    if (attributes === undefined) warnings.push(warning);
  };
  let chart = buildChart(one.chart ?? { name: '' });
  const user = readMap(one.user);
  if (one.process) {
    try {
      chart = processDependencies(chart, user, warn);
    } catch (error) {
      return textField('error', messageOf(error));
    }
    result['charts'] = chart.dependencies.map(({ metadata }) => metadata.name).sort();
    result['chartValues'] = plain(chart.values);
  }
  const join = one.merge ? mergeValues : coalesceValues;
  Object.assign(
    result,
    attempt(() => ({ values: plain(join(chart, user, warn)) })),
  );
  const lines = [...new Set(warnings)].sort();
  if (lines.length > 0) result['warnings'] = lines;
  return result;
}

function strvalsCase(one: OracleCase): Result {
  const { text = '', files = {} } = one;
  let target = readMap(one.base);
  const read = (path: string): string => {
    const found = Object.hasOwn(files, path) ? files[path] : undefined;
    if (found !== undefined) return found;
    throw Object.assign(new Error(`open ${path}: no such file or directory`), { code: 'ENOENT' });
  };
  switch (one.kind) {
    case 'set':
      setValues(text, target);
      break;
    case 'string':
      setStrings(text, target);
      break;
    case 'json':
      setJson(text, target);
      break;
    case 'literal':
      setLiteral(text, target);
      break;
    case 'file':
      setFiles(text, target, read);
      break;
    case 'options': {
      const { ValueFiles, JSONValues, Values, StringValues, FileValues, LiteralValues } = one.options ?? {};
      target = mergeValueOptions(
        {
          files: ValueFiles ?? [],
          json: JSONValues ?? [],
          values: Values ?? [],
          strings: StringValues ?? [],
          fileValues: FileValues ?? [],
          literals: LiteralValues ?? [],
        },
        read,
      );
      break;
    }
    default:
      throw new Error(`unknown kind ${one.kind ?? ''}`);
  }
  return { values: plain(target), typed: typed(target) };
}

function yamlCase(text: string): Result {
  const result: Result = {};
  let value: Value;
  try {
    value = readYaml(text);
    result['json'] = jsonOfTree(readTypedYaml(text));
  } catch (error) {
    // YAMLToJSON has only the reason
    const reason = messageOf(error).replace(/^error converting YAML to JSON: /, '');
    return { ...textField('error', reason), ...loadCase(text) };
  }
  try {
    return { ...result, toYaml: writeYaml(value), toYamlPretty: writeYamlPretty(value), ...loadCase(text) };
  } catch (error) {
    return textField('error', messageOf(error));
  }
}

function loadCase(text: string): Result {
  try {
    return { load: plain(loadValues(text)) };
  } catch (error) {
    return textField('loadError', messageOf(error));
  }
}

/** Returns JSON as YAMLToJSON writes it: whole numbers with all their digits. */
function jsonOfTree(tree: YamlTree): string {
  if (tree instanceof TypedScalar) {
    return /^-?[0-9]+$/.test(tree.text) ? tree.text : encodeJson(tree.value, { escapeHtml: true });
  }
  if (Array.isArray(tree)) return `[${tree.map(jsonOfTree).join(',')}]`;
  if (!(tree instanceof Map)) return encodeJson(tree, { escapeHtml: true });
  const entries = sortedKeys(tree).map(
    (key) => `${encodeJson(key, { escapeHtml: true })}:${jsonOfTree(tree.get(key) ?? null)}`,
  );
  return `{${entries.join(',')}}`;
}

function plain(value: Value): unknown {
  const data: unknown = JSON.parse(encodeJson(value, { escapeHtml: true }));
  return data;
}

/** Returns every scalar as its Go type and value. */
function typed(value: Value): unknown {
  if (value === null) return 'nil';
  if (isMap(value)) return Object.fromEntries(Array.from(value, ([key, item]) => [key, typed(item)]));
  if (isList(value)) return value.map(typed);
  return `${goTypeOf(value)} ${sprintf('%v', [value])}`;
}
