import type { Host } from '../../../go/host.ts';
import { GoObject, int, NamedMap, NilPointer, type Value } from '../../../go/value.ts';
import type { Hook } from '../../../release/hook.ts';
import { valueMapOfPlain, valueOfPlain } from '../../../release/plain-value.ts';
import type { Release } from '../../../release/release.ts';
import { releaseTime } from '../../ctl/output/time.ts';

/** A pointer to a struct of Go, or a struct, with its exported fields in order. */
class Struct extends GoObject {
  readonly goType: string;
  readonly kind: 'ptr' | 'struct';
  readonly #fields: ReadonlyMap<string, Value>;

  constructor(goType: string, fields: Readonly<Record<string, Value>>) {
    super();
    this.goType = goType;
    this.kind = goType.startsWith('*') ? 'ptr' : 'struct';
    this.#fields = new Map(Object.entries(fields));
  }

  override field(name: string): Value | undefined {
    return this.#fields.get(name);
  }

  override fields(): readonly string[] {
    return [...this.#fields.keys()];
  }
}

/** A nil pointer as an action of a template prints it. */
class NilStruct extends NilPointer {
  override text(): string {
    return '<nil>';
  }
}

/** Returns a release as the template of `helm get all` sees it (pkg/release/v1/release.go). */
export function releaseObject(release: Release, labels: Readonly<Record<string, string>>, host: Host): GoObject {
  const { info, hooks = [], config = {} } = release;
  // as in Helm, errors about the release itself name the type of the template's data
  return new Struct('interface {}', {
    Name: release.name,
    Info: new Struct('*v1.Info', {
      FirstDeployed: releaseTime(info.first_deployed, host),
      LastDeployed: releaseTime(info.last_deployed, host),
      Deleted: releaseTime(info.deleted, host),
      Description: info.description ?? '',
      Status: info.status,
      Notes: info.notes ?? '',
      Resources: new NamedMap('map[string][]runtime.Object', null),
    }),
    Chart: chartOf(release),
    Config: valueMapOfPlain(config),
    Manifest: release.manifest,
    Hooks: hooks.map((hook) => hookObject(hook, host)),
    Version: int(release.version),
    Namespace: release.namespace,
    Labels: new NamedMap('map[string]string', Object.entries(labels)),
    ApplyMethod: release.apply_method ?? '',
  });
}

function hookObject({ last_run: run, ...hook }: Hook, host: Host): GoObject {
  return new Struct('*v1.Hook', {
    Name: hook.name,
    Kind: hook.kind,
    Path: hook.path,
    Manifest: hook.manifest,
    Events: [...hook.events],
    LastRun: new Struct('v1.HookExecution', {
      StartedAt: releaseTime(run.started_at, host),
      CompletedAt: releaseTime(run.completed_at, host),
      Phase: run.phase,
    }),
    Weight: int(hook.weight ?? 0),
    DeletePolicies: [...(hook.delete_policies ?? [])],
    OutputLogPolicies: [...(hook.output_log_policies ?? [])],
  });
}

/** Through an agent, a chart has only its metadata. */
function chartOf({ chart }: Release): GoObject {
  const metadata = new Map(Object.entries(chart.metadata ?? {}));
  const name = valueOfPlain(metadata.get('name') ?? '');
  const version = valueOfPlain(metadata.get('appVersion') ?? '');
  const shown = { Name: name, AppVersion: version, Metadata: metadataObject(metadata) };
  if (!Array.isArray(chart.templates)) return new Struct('*v2.Chart', shown);
  return new Struct('*v2.Chart', {
    ...shown,
    Lock: chart.lock === null ? new NilStruct('*v2.Lock') : valueOfPlain(chart.lock),
    Templates: chart.templates.map(fileObject),
    Values: valueOfPlain(chart.values ?? {}),
    Schema: bytesOf(chart.schema),
    Files: (chart.files ?? []).map(fileObject),
  });
}

/** The fields of Chart.yaml that templates see, with the value of one that is missing. */
const metadataFields: readonly (readonly [field: string, key: string, missing: Value])[] = [
  ['Name', 'name', ''],
  ['Home', 'home', ''],
  ['Sources', 'sources', []],
  ['Version', 'version', ''],
  ['Description', 'description', ''],
  ['Keywords', 'keywords', []],
  ['Maintainers', 'maintainers', []],
  ['Icon', 'icon', ''],
  ['APIVersion', 'apiVersion', ''],
  ['Condition', 'condition', ''],
  ['Tags', 'tags', ''],
  ['AppVersion', 'appVersion', ''],
  ['Deprecated', 'deprecated', false],
  ['Annotations', 'annotations', new NamedMap('map[string]string', null)],
  ['KubeVersion', 'kubeVersion', ''],
  ['Dependencies', 'dependencies', []],
  ['Type', 'type', ''],
];

/** The names of the fields in the lists of Chart.yaml, by key. */
const fieldNames: Readonly<Record<string, string>> = { url: 'URL', 'import-values': 'ImportValues' };

function metadataObject(metadata: ReadonlyMap<string, unknown>): GoObject {
  return new Struct(
    '*v2.Metadata',
    Object.fromEntries(
      metadataFields.map(([field, key, missing]) => [field, listOfStructs(valueOfPlain(metadata.get(key))) ?? missing]),
    ),
  );
}

/** Returns the value; maintainers and dependencies have the names of Go's fields. */
function listOfStructs(value: Value): Value {
  if (!Array.isArray(value)) return value;
  return value.map((item: Value) => {
    if (!(item instanceof Map)) return item;
    const fields: ReadonlyMap<string, Value> = item;
    const entries = Array.from(fields, ([key, field]) => [fieldNames[key] ?? capitalized(key), field] as const);
    return new Map(entries);
  });
}

function capitalized(key: string): string {
  return `${key.slice(0, 1).toUpperCase()}${key.slice(1)}`;
}

function fileObject({ name, data }: { name: string; data: string | null }): GoObject {
  return new Struct('*common.File', { Name: name, Data: bytesOf(data) });
}

function bytesOf(base64: string | null): Value {
  return new Uint8Array(Buffer.from(base64 ?? '', 'base64'));
}
