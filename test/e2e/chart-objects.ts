import { loadAll } from 'js-yaml';
import type { KubeCluster } from '../../src/kube/cluster.ts';
import type { KubeObject, ObjectRef } from '../../src/objects/object.ts';
import { eventually } from '../api/environment.ts';
import { helm, runHelm } from './helm.ts';
import { stable, stateOf, withoutNames } from './namespace-state.ts';
import { usualKinds } from './scenarios/scenario.ts';

/** The objects that a release of any chart may create, inside and outside of its namespace. */
export class ChartObjects {
  readonly #cluster: KubeCluster;
  readonly #namespace: string;
  readonly #refs = new Map<string, ObjectRef>();

  constructor(cluster: KubeCluster, namespace: string) {
    this.#cluster = cluster;
    this.#namespace = namespace;
    this.#add([{ apiVersion: 'v1', kind: 'Namespace', name: namespace }]);
  }

  /** Adds the definitions in the folder `crds` of a chart. */
  async addDefinitions(chart: string): Promise<void> {
    const texts = await helm('helm4', 'show', 'crds', chart);
    this.#add(objectsIn(texts).map(({ apiVersion, kind, metadata: { name } }) => ({ apiVersion, kind, name })));
  }

  /** Adds the objects and hooks of a release's newest revision. */
  async addRelease(releaseName: string): Promise<void> {
    const parts = await Promise.all(
      ['manifest', 'hooks'].map((part) => runHelm('helm4', 'get', part, releaseName, '--namespace', this.#namespace)),
    );
    const objects = parts.flatMap(({ code, stdout }) => (code === 0 ? objectsIn(stdout) : []));
    this.#add(await Promise.all(objects.map((object) => this.#refOf(object))));
  }

  /** Returns the objects in the namespace, the records, and the named objects outside. */
  async state(): Promise<unknown> {
    const refs = [...this.#refs.values()];
    const inside = refs.filter((ref) => ref.namespace === this.#namespace);
    const kinds = new Map(
      [...usualKinds, ...inside.map(({ apiVersion, kind }) => [apiVersion, kind] as const)].map((kind) => [
        kind.join(' '),
        kind,
      ]),
    );
    const outside = await Promise.all(
      refs
        .filter((ref) => ref.namespace !== this.#namespace)
        .map(async (ref) => [`${ref.kind}/${ref.namespace ?? ''}/${ref.name}`, await this.#content(ref)] as const),
    );
    const text = withoutNames(JSON.stringify(Object.fromEntries(outside)), this.#namespace);
    return {
      inside: await stateOf(this.#cluster, { namespace: this.#namespace, kinds: [...kinds.values()] }),
      outside: JSON.parse(text) as unknown,
    };
  }

  /** Deletes what is left outside of the namespace. Resolves when it is gone. */
  async deleteRest(): Promise<void> {
    const refs = [...this.#refs.values()].filter(
      ({ kind, namespace }) => namespace !== this.#namespace && kind !== 'Namespace',
    );
    await Promise.all(refs.map((ref) => this.#cluster.delete(ref)));
    await eventually('the objects outside of the namespace are gone', 300, async () => {
      const live = await Promise.all(refs.map((ref) => this.#cluster.get(ref)));
      return live.every((object) => object === undefined) || undefined;
    });
  }

  #add(refs: readonly ObjectRef[]): void {
    for (const ref of refs) this.#refs.set(JSON.stringify(ref), ref);
  }

  async #refOf({ apiVersion, kind, metadata }: KubeObject): Promise<ObjectRef> {
    const { name, namespace = this.#namespace } = metadata;
    const { namespaced } = await this.#cluster.resourceKind(apiVersion, kind);
    return { apiVersion, kind, name, ...(namespaced && { namespace }) };
  }

  async #content(ref: ObjectRef): Promise<unknown> {
    const live = await this.#cluster.get(ref);
    return live === undefined || live.metadata.deletionTimestamp !== undefined ? 'gone' : stable(live);
  }
}

function objectsIn(text: string): KubeObject[] {
  return (loadAll(text) as (KubeObject | null)[]).filter((object) => object !== null); // helm prints objects
}
