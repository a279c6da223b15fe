import { readYamlMap } from '../../yaml/read.ts';
import type { Hook, HookExecution } from '../hook.ts';
import { plainObject } from '../plain-value.ts';
import type { Release, ReleaseInfo } from '../release.ts';
import type { ReleaseStatus } from '../status.ts';
import type { StoredChart } from '../stored-chart.ts';
import { formatTime } from '../time.ts';
import type { ProtobufMessage } from './protobuf-message.ts';

// Numbers are those of the fields in Helm 2's _proto/hapi. The result is what the plugin
// helm-2to3 makes of a release (pkg/v3/release.go).

const statuses: readonly ReleaseStatus[] = [
  'unknown',
  'deployed',
  'uninstalled',
  'superseded',
  'failed',
  'uninstalling',
  'pending-install',
  'pending-upgrade',
  'pending-rollback',
];

const events = [
  'unknown',
  'pre-install',
  'post-install',
  'pre-delete',
  'post-delete',
  'pre-upgrade',
  'post-upgrade',
  'pre-rollback',
  'post-rollback',
  'test',
  'test',
  'crd-install',
];

const deletePolicies = ['hook-succeeded', 'hook-failed', 'before-hook-creation'];

const phases = ['Unknown', 'Succeeded', 'Failed', 'Running'];

/** Converts a release of Helm 2 to one of Helm 3. Throws an Error if a part of it is missing. */
export function convertRelease(message: ProtobufMessage): Release {
  const info = required(message.message(2), 'info');
  const status = required(info.message(1), 'status');
  const config = optionalValues(message.message(4)) ?? {};
  const testRuns = new Map<string, ProtobufMessage>();
  for (const run of status.message(5)?.messages(3) ?? []) {
    if (!testRuns.has(run.text(1))) testRuns.set(run.text(1), run);
  }
  const hooks = message.messages(6).map((hook) => hookOf(hook, testRuns));
  return {
    name: message.text(1),
    info: infoOf(info, status),
    chart: chartOf(required(message.message(3), 'chart')),
    ...(Object.keys(config).length > 0 && { config }),
    manifest: message.text(5),
    ...(hooks.length > 0 && { hooks }),
    version: Number(message.integer(7)),
    namespace: message.text(8),
  };
}

function infoOf(info: ProtobufMessage, status: ProtobufMessage): ReleaseInfo {
  const [description, notes] = [info.text(5), status.text(4)];
  return {
    first_deployed: timeOf(info.message(2)),
    last_deployed: timeOf(info.message(3)),
    deleted: timeOf(info.message(4)),
    ...(description !== '' && { description }),
    status: named(statuses, status.integer(1), 'status'),
    ...(notes !== '' && { notes }),
  };
}

/** The charts that the chart depends on are left out, because Helm 3 does not store them. */
function chartOf(chart: ProtobufMessage): StoredChart {
  const metadata = chart.message(1);
  return {
    metadata: metadata === undefined ? null : metadataOf(metadata),
    lock: null,
    templates: filesOf(chart.messages(2)),
    values: optionalValues(chart.message(4)),
    schema: null,
    files: filesOf(chart.messages(5)),
  };
}

function metadataOf(metadata: ProtobufMessage) {
  const annotations = metadata.messages(16).map((entry) => [entry.text(1), entry.text(2)]);
  return withoutEmpty({
    name: metadata.text(1),
    home: metadata.text(2),
    sources: metadata.texts(3),
    version: metadata.text(4),
    description: metadata.text(5),
    keywords: metadata.texts(6),
    maintainers: metadata
      .messages(7)
      .map((each) => withoutEmpty({ name: each.text(1), email: each.text(2), url: each.text(3) })),
    icon: metadata.text(9),
    apiVersion: metadata.text(10),
    condition: metadata.text(11),
    tags: metadata.text(12),
    appVersion: metadata.text(13),
    deprecated: metadata.integer(14) !== 0n,
    annotations: annotations.length === 0 ? '' : Object.fromEntries(annotations),
    kubeVersion: metadata.text(17),
    type: 'application',
  });
}

/** Removes what Go's `omitempty` leaves out. */
function withoutEmpty(fields: Record<string, unknown>): Record<string, unknown> {
  const isEmpty = (value: unknown) => value === '' || value === false || (Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value)));
}

function filesOf(files: readonly ProtobufMessage[]): StoredChart['templates'] {
  if (files.length === 0) return null;
  return files.map((file) => {
    const data = file.bytes(2);
    return { name: file.text(1), data: data.length === 0 ? null : Buffer.from(data).toString('base64') };
  });
}

/** Returns the values in a YAML text. Null if there is none. */
function optionalValues(config: ProtobufMessage | undefined): Record<string, unknown> | null {
  if (config === undefined) return null;
  return plainObject(readYamlMap(config.text(1)) ?? new Map());
}

function hookOf(hook: ProtobufMessage, testRuns: ReadonlyMap<string, ProtobufMessage>): Hook {
  const name = hook.text(1);
  const weight = Number(hook.integer(7));
  const policies = hook.integers(8).map((policy) => named(deletePolicies, policy, 'delete policy of a hook'));
  return {
    name,
    kind: hook.text(2),
    path: hook.text(3),
    manifest: hook.text(4),
    events: hook.integers(5).map((event) => named(events, event, 'event of a hook')),
    last_run: lastRunOf(testRuns.get(name)),
    ...(weight !== 0 && { weight }),
    ...(policies.length > 0 && { delete_policies: policies }),
  };
}

/** Helm 2 has run times and results of tests only. */
function lastRunOf(run: ProtobufMessage | undefined): HookExecution {
  return {
    started_at: timeOf(run?.message(4)),
    completed_at: timeOf(run?.message(5)),
    phase: run === undefined ? '' : named(phases, run.integer(2), 'status of a test'),
  };
}

/** Returns the time in RFC 3339, or an empty text, as Helm 3 writes it, if there is none. */
function timeOf(time: ProtobufMessage | undefined): string {
  if (time === undefined) return '';
  return formatTime(time.integer(1) * 1_000_000_000n + time.integer(2));
}

function named<Name>(names: readonly Name[], index: bigint, what: string): Name {
  const name = names[Number(index)];
  if (name === undefined) throw new Error(`the ${what} is ${index}, which Helm 2 does not have`);
  return name;
}

function required(message: ProtobufMessage | undefined, part: string): ProtobufMessage {
  if (message === undefined) throw new Error(`it has no ${part}`);
  return message;
}
