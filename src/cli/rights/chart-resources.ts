import { isJsonObject } from '../../objects/fields.ts';
import { groupOf } from '../../objects/group-kind.ts';
import { plainValue } from '../../release/plain-value.ts';
import { loadChart } from '../../render/index.ts';
import type { RoleResource } from '../../rights/roles.ts';
import { builtinResources } from '../../sandbox/store/builtin-resources.ts';
import { readYaml } from '../../yaml/read.ts';

/** The resources of a chart with its default values. */
export interface ChartResources {
  resources: RoleResource[];
  /** Kinds that are neither of Kubernetes nor of the chart's CRDs; their resources are guessed. */
  guessed: string[];
}

/** Renders a chart of this machine, and returns the resources of its objects, hooks and CRDs. */
export async function chartResources(path: string, namespace: string): Promise<ChartResources> {
  const { manifests, hooks, crds } = await (await loadChart(path)).render({ release: { namespace } });
  const definitions = crds.flatMap(({ content }) => content.split(/^---\s*$/m)).map(objectOf);
  const objects = [...[...manifests, ...hooks].map(({ content }) => objectOf(content)), ...definitions];
  const found = new Map<string, RoleResource>();
  const guessed = new Set<string>();
  for (const object of objects.flatMap((item) => (item === undefined ? [] : [item]))) {
    const { apiVersion, kind } = object;
    const known = builtinResource(apiVersion, kind) ?? definedResource(objects, apiVersion, kind);
    if (known === undefined) guessed.add(`${kind} of ${apiVersion}`);
    const resource = known ?? { group: groupOf(apiVersion), resource: guessPlural(kind), namespaced: true };
    found.set(`${resource.group}/${resource.resource}`, resource);
  }
  return { resources: [...found.values()], guessed: [...guessed] };
}

interface ReadObject {
  apiVersion: string;
  kind: string;
  spec: unknown;
}

function objectOf(text: string): ReadObject | undefined {
  const value = plainValue(readYaml(text));
  if (!isJsonObject(value) || typeof value['apiVersion'] !== 'string' || typeof value['kind'] !== 'string') return;
  return { apiVersion: value['apiVersion'], kind: value['kind'], spec: value['spec'] };
}

function builtinResource(apiVersion: string, kind: string): RoleResource | undefined {
  const type = builtinResources.find((known) => known.group === groupOf(apiVersion) && known.kind === kind);
  return type && { group: type.group, resource: type.plural, namespaced: type.namespaced };
}

/** Finds a kind in the CRDs of the chart. */
function definedResource(
  objects: readonly (ReadObject | undefined)[],
  apiVersion: string,
  wanted: string,
): RoleResource | undefined {
  for (const { kind, spec } of objects.flatMap((item) => (item === undefined ? [] : [item]))) {
    if (kind !== 'CustomResourceDefinition' || !isJsonObject(spec)) continue;
    const { group, names, scope } = spec;
    if (group !== groupOf(apiVersion) || !isJsonObject(names) || names['kind'] !== wanted) continue;
    if (typeof group === 'string' && typeof names['plural'] === 'string') {
      return { group, resource: names['plural'], namespaced: scope !== 'Cluster' };
    }
  }
  return undefined;
}

/** Guesses as kubectl does (apimachinery: UnsafeGuessKindToResource). */
function guessPlural(kind: string): string {
  const singular = kind.toLowerCase();
  if (singular.endsWith('s')) return `${singular}es`;
  return singular.endsWith('y') ? `${singular.slice(0, -1)}ies` : `${singular}s`;
}
