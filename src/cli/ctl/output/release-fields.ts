import type { Hook } from '../../../release/hook.ts';
import { valueMapOfPlain } from '../../../release/plain-value.ts';
import type { Release } from '../../../release/release.ts';
import type { Fields } from './format.ts';

/**
 * Returns the fields of a release without its chart, in the order of Helm's structs
 * (pkg/release/v1/release.go). Fields without a value are left out.
 */
export function releaseFields({ info, config, hooks = [], ...release }: Release): Fields {
  return {
    name: given(release.name),
    info: {
      first_deployed: given(info.first_deployed),
      last_deployed: given(info.last_deployed),
      deleted: given(info.deleted),
      description: given(info.description),
      status: info.status,
      notes: given(info.notes),
    },
    config: config === undefined || Object.keys(config).length === 0 ? undefined : valueMapOfPlain(config),
    manifest: given(release.manifest),
    hooks: hooks.length === 0 ? undefined : hooks.map(hookFields),
    version: release.version,
    namespace: given(release.namespace),
    apply_method: given(release.apply_method),
  };
}

function hookFields({ last_run, weight = 0, ...hook }: Hook): Fields {
  return {
    name: given(hook.name),
    kind: given(hook.kind),
    path: given(hook.path),
    manifest: given(hook.manifest),
    events: givenList(hook.events),
    last_run: {
      started_at: given(last_run.started_at),
      completed_at: given(last_run.completed_at),
      phase: last_run.phase,
    },
    weight: weight === 0 ? undefined : weight,
    delete_policies: givenList(hook.delete_policies),
    output_log_policies: givenList(hook.output_log_policies),
  };
}

function given(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

function givenList(list: string[] | undefined): string[] | undefined {
  return list?.length === 0 ? undefined : list;
}
