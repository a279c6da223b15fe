import type { Chart } from '../../chart/chart.ts';
import { compareStrings, fromBytes } from '../../go/text.ts';
import { int, type Value, type ValueMap } from '../../go/value.ts';
import { chartObject, filesObject, valuesObject } from './built-in-objects.ts';
import { type Capabilities, capabilitiesObject } from './capabilities.ts';
import { isPartial } from './template-path.ts';

/** Facts about the release, for `.Release`. */
export interface ReleaseFacts {
  name: string;
  namespace: string;
  revision: number;
  isInstall: boolean;
  isUpgrade: boolean;
}

/** A template of a chart or of a subchart, with the values of its scope. */
export interface ScopedTemplate {
  /**
   * Path with the chart's name in front: `web/templates/service.yaml`,
   * `web/charts/db/templates/job.yaml`.
   */
  path: string;
  text: string;
  chart: Chart;
  /** Value of the dot, shared by all templates of one chart. */
  scope: ValueMap;
  /** Value of `.Template.BasePath`. */
  basePath: string;
}

/**
 * Returns the templates of a chart and its subcharts in the order in which Helm parses and runs
 * them: deepest paths first, then names in descending order (pkg/engine/engine.go: allTemplates,
 * sortTemplates).
 * @param values the coalesced values
 */
export function chartTemplates(
  chart: Chart,
  values: ValueMap,
  release: ReleaseFacts,
  capabilities: Capabilities,
): ScopedTemplate[] {
  const templates = new Map<string, ScopedTemplate>();
  const shared: SharedScope = { release: releaseObject(release), capabilities: capabilitiesObject(capabilities) };
  collect(chart, values, chart.metadata.name, true, shared, templates);
  return [...templates.values()].sort(deepestFirst);
}

interface SharedScope {
  release: ValueMap;
  capabilities: Value;
}

function collect(
  chart: Chart,
  values: ValueMap,
  path: string,
  isRoot: boolean,
  shared: SharedScope,
  templates: Map<string, ScopedTemplate>,
): ValueMap {
  const subcharts: ValueMap = new Map();
  const scope = new Map<string, Value>([
    ['Chart', chartObject(chart, isRoot)],
    ['Files', filesObject(chart.files)],
    ['Release', shared.release],
    ['Capabilities', shared.capabilities],
    ['Values', valuesObject(values)],
    ['Subcharts', subcharts],
  ]);
  for (const child of chart.dependencies) {
    const name = child.metadata.name;
    const below = collect(child, table(values, name.split('.')), `${path}/charts/${name}`, false, shared, templates);
    subcharts.set(name, below);
  }
  const dot = valuesObject(scope);
  const isLibrary = chart.metadata.type?.toLowerCase() === 'library';
  for (const file of chart.templates) {
    if (isLibrary && !isPartial(file.name)) continue;
    const full = `${path}/${file.name}`;
    templates.set(full, { path: full, text: fromBytes(file.data), chart, scope: dot, basePath: `${path}/templates` });
  }
  return scope;
}

/** Returns the map at `path`, or a new empty map. */
function table(values: ValueMap, path: readonly string[]): ValueMap {
  let current = values;
  for (const key of path) {
    const next = current.get(key);
    if (!(next instanceof Map)) return new Map();
    // maps of values can be written to: see ADR 0001
    current = next as ValueMap;
  }
  return current;
}

/** Returns the value of `.Template`. */
export function templateObject({ path, basePath }: ScopedTemplate): ValueMap {
  return valuesObject(
    new Map([
      ['Name', path],
      ['BasePath', basePath],
    ]),
  );
}

function releaseObject({ name, namespace, revision, isInstall, isUpgrade }: ReleaseFacts): ValueMap {
  return new Map<string, Value>([
    ['Name', name],
    ['Namespace', namespace],
    ['IsUpgrade', isUpgrade],
    ['IsInstall', isInstall],
    ['Revision', int(revision)],
    ['Service', 'Helm'],
  ]);
}

function deepestFirst(a: ScopedTemplate, b: ScopedTemplate): number {
  return depth(b.path) - depth(a.path) || compareStrings(b.path, a.path);
}

function depth(path: string): number {
  return path.split('/').length;
}
