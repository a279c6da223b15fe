import { posix } from 'node:path';
import type { Chart } from '../chart/chart.ts';
import { processDependencies } from '../chart/process-dependencies.ts';
import { coalesceValues } from '../chart/values/coalesce.ts';
import { validateValues } from '../chart/values/validate-values.ts';
import { ValuesError } from '../chart/values/values-error.ts';
import { quote } from '../go/strconv.ts';
import { byteLength } from '../go/text.ts';
import type { ValueMap } from '../go/value.ts';
import { RenderError } from '../render/render-error.ts';
import { knownApiVersions } from '../render/scope/api-versions.ts';
import { defaultKubeVersion, parseKubeVersion } from '../render/scope/capabilities.ts';
import { decodeYamlTree, goSlice, goStringMap, goStruct } from '../yaml/decode-struct.ts';
import { readTypedYaml } from '../yaml/read.ts';
import { YamlError } from '../yaml/yaml-error.ts';
import { deprecatedKinds } from './deprecated-kinds.ts';
import { eachObject } from './each-object.ts';
import type { Report } from './finding.ts';
import type { LintOptions } from './lint-options.ts';
import type { ObjectHead } from './object-head.ts';
import { objectNameProblem } from './object-name.ts';

/** Length of a line in bytes up to which Helm checks its indent. */
const longestLine = 64 * 1024;
const folder = 'templates/';
const extensions = ['.yaml', '.yml', '.tpl', '.txt'];
const withSelector = ['Deployment', 'ReplicaSet', 'DaemonSet', 'StatefulSet'];

/**
 * Lints the templates and the manifests that they render to (pkg/chart/v2/lint/rules/template.go).
 */
export async function lintTemplates(loaded: Chart, options: LintOptions, report: Report): Promise<void> {
  const prepared = prepare(loaded, options, report);
  if (prepared === undefined) return;
  const { chart, values } = prepared;
  const texts = await render(chart, values, options, report);
  if (texts === undefined) return;
  const { major, minor } = parseKubeVersion(options.kubeVersion ?? defaultKubeVersion);
  for (const { name } of chart.templates) {
    const extension = posix.extname(name);
    report('ERROR', name, extensionProblem(extension));
    if (!['.yaml', '.yml'].includes(extension.toLowerCase())) continue;
    const text = texts.get(`${chart.metadata.name}/${name}`) ?? '';
    if (text.trim() === '') continue;
    report('WARNING', name, indentProblem(text));
    const isReadable = eachObject(text, name, report, (head) => {
      report('WARNING', name, objectNameProblem(head));
      report('WARNING', name, deprecationOf(head, `${major}.${minor}`));
      report('ERROR', name, selectorProblem(head, text));
      report('ERROR', name, listAnnotationProblem(head, text));
    });
    if (!isReadable) return;
  }
}

/**
 * Returns the chart and the values to render it with; undefined if they do not fit, which Helm
 * reports only for schemas.
 */
function prepare(loaded: Chart, options: LintOptions, report: Report): { chart: Chart; values: ValueMap } | undefined {
  const { warn } = options.helm;
  try {
    const chart = processDependencies(loaded, options.values, warn);
    // merged twice, as in Helm: a default that the user removed is restored
    const values = coalesceValues(chart, coalesceValues(chart, options.values, warn), warn);
    return isValid(chart, values, options, report) ? { chart, values } : undefined;
  } catch (error) {
    if (error instanceof ValuesError) return undefined;
    throw error;
  }
}

function isValid(chart: Chart, values: ValueMap, { skipSchemaValidation }: LintOptions, report: Report): boolean {
  if (skipSchemaValidation) return true;
  try {
    validateValues(chart, values);
    return true;
  } catch (error) {
    if (!(error instanceof ValuesError)) throw error;
    return report('ERROR', folder, error.message);
  }
}

async function render(chart: Chart, values: ValueMap, options: LintOptions, report: Report) {
  try {
    return await options.renderer.renderFiles(
      {
        chart,
        values,
        release: {
          name: 'test-release',
          namespace: options.namespace,
          revision: 0,
          isInstall: false,
          isUpgrade: false,
        },
        capabilities: {
          version: { gitVersion: options.kubeVersion ?? defaultKubeVersion },
          apiVersions: knownApiVersions,
        },
        options: { lint: true },
        notice: options.helm.rendering,
      },
      new AbortController().signal,
    );
  } catch (error) {
    if (!(error instanceof RenderError)) throw error;
    report('ERROR', folder, error.message);
    return undefined;
  }
}

function extensionProblem(extension: string): string | undefined {
  if (extensions.includes(extension)) return undefined;
  return `file extension '${extension}' not valid. Valid extensions are .yaml, .yml, .tpl, or .txt`;
}

function indentProblem(text: string): string | undefined {
  const line = text.split(/\r?\n/).find((candidate) => candidate.trim() !== '') ?? '';
  if (byteLength(line) >= longestLine) return 'bufio.Scanner: token too long';
  if (!/^[ \t]/.test(line)) return undefined;
  return `document starts with an illegal indent: ${quote(line)}, which may cause parsing problems`;
}

function selectorProblem({ kind, name }: ObjectHead, text: string): string | undefined {
  if (!withSelector.includes(kind) || /matchLabels|matchExpressions/.test(text)) return undefined;
  return `a ${kind} must contain matchLabels or matchExpressions, and ${quote(name)} does not`;
}

/**
 * Returns Helm's text about a kind that is deprecated in a Kubernetes version (`major.minor`)
 * (pkg/chart/v2/lint/rules/deprecations.go); undefined if it is not deprecated.
 */
function deprecationOf({ apiVersion, kind }: ObjectHead, kubeVersion: string): string | undefined {
  for (const { since, removed, replacement, ...row } of deprecatedKinds) {
    if (row.apiVersion !== apiVersion || isBefore(kubeVersion, since)) continue;
    const entry = row.kinds.split(' ').find((candidate) => candidate.split(':', 1)[0] === kind);
    if (entry === undefined) continue;
    const successor = entry.split(':')[1] ?? kind;
    const unavailable = removed === '' ? '' : `, unavailable in v${removed}+`;
    const use = replacement === '' ? '' : `; use ${replacement} ${successor}`;
    return `${apiVersion} ${kind} is deprecated in v${since}+${unavailable}${use}`;
  }
  return undefined;
}

function isBefore(version: string, other: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [otherMajor = 0, otherMinor = 0] = other.split('.').map(Number);
  return major === otherMajor ? minor < otherMinor : major < otherMajor;
}

const resourcePolicy = 'helm.sh/resource-policy';

/**
 * Helm's anonymous struct for a List (pkg/chart/v2/lint/rules/template.go:
 * validateListAnnotations).
 */
const metadata = goStruct('struct { Annotations map[string]string }', { Annotations: goStringMap });
const item = goStruct(`struct { Metadata ${metadata.name} }`, { Metadata: metadata });
const items = goSlice(item);
const list = goStruct(`struct { Items ${items.name} }`, { Items: items });

/**
 * Returns the problem of a List whose items have Helm's resource policy, which Helm ignores there.
 * Only the first object of a file is checked, as in Helm.
 */
function listAnnotationProblem({ kind }: ObjectHead, text: string): string | undefined {
  if (kind !== 'List') return undefined;
  try {
    const { Items } = decodeYamlTree(readTypedYaml(text), list);
    return Items.some(({ Metadata }) => Metadata.Annotations.has(resourcePolicy))
      ? `annotation '${resourcePolicy}' within List objects are ignored`
      : undefined;
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    return `unable to parse YAML: ${error.message}`;
  }
}
