import type { Host } from '../../../go/host.ts';
import { fieldAt, stringAt } from '../../../objects/fields.ts';
import type { CommandAnswers } from '../../../protocol/commands/index.ts';
import type { ObjectChange } from '../../../protocol/object-change.ts';
import { valueOfPlain } from '../../../release/plain-value.ts';
import { table } from '../../table.ts';
import { oneLine } from '../../text.ts';
import { yamlText } from './format.ts';

type Listed = CommandAnswers['list_objects']['objects'];
type Described = CommandAnswers['describe_object'];
type Event = CommandAnswers['list_events']['events'][number];

/** Returns foreign cells as rows of a table. */
function rows(cells: readonly (readonly string[])[]): string {
  return `${table(cells.map((row) => row.map(oneLine))).join('\n')}\n`;
}

/** Returns objects as a table, with their namespaces if they have any. */
export function objectTable(objects: Listed, host: Host): string {
  if (objects.length === 0) return 'There are no such objects.\n';
  const hasNamespaces = objects.some(({ object }) => stringAt(object, 'metadata', 'namespace') !== undefined);
  const header = [...(hasNamespaces ? ['NAMESPACE'] : []), 'NAME', 'STATUS', 'READY', 'AGE', 'REASON'];
  const listed = objects.map(({ object, status, counts, reason = '' }) => [
    ...(hasNamespaces ? [stringAt(object, 'metadata', 'namespace') ?? ''] : []),
    stringAt(object, 'metadata', 'name') ?? '',
    status,
    counts === undefined ? '' : `${counts.ready}/${counts.wanted}`,
    ageOf(stringAt(object, 'metadata', 'creationTimestamp'), host),
    reason,
  ]);
  return rows([header, ...listed]);
}

const signs = { present: '=', added: '+', changed: '~', deleted: '-' };

/** Returns a line for each object that has changed. */
export function changeLines(changes: readonly ObjectChange[]): string[] {
  return changes.map(({ change, object, status, counts, reason = '' }) => {
    const namespace = stringAt(object, 'metadata', 'namespace');
    const name = stringAt(object, 'metadata', 'name') ?? '';
    const words = [
      ...[signs[change], namespace === undefined ? name : `${namespace}/${name}`],
      ...[
        change === 'deleted' ? 'deleted' : status,
        counts === undefined ? '' : `${counts.ready}/${counts.wanted}`,
        reason,
      ],
    ];
    return oneLine(words.filter((word) => word !== '').join(' '));
  });
}

export function eventTable(events: readonly Event[], host: Host): string {
  if (events.length === 0) return 'There are no events.\n';
  const listed = events.map(({ time, type, reason, object, message, count }) => [
    ageOf(time, host),
    type,
    reason,
    object,
    count > 1 ? `${message} (${count} times)` : message,
  ]);
  return rows([['LAST SEEN', 'TYPE', 'REASON', 'OBJECT', 'MESSAGE'], ...listed]);
}

export function clusterTable({ version, nodes, namespaces, kinds, rights }: CommandAnswers['cluster_info']): string {
  const facts = [
    ['VERSION:', version],
    ['NODES:', nodes === undefined ? 'unknown' : String(nodes.length)],
    ['NAMESPACES:', namespaces === undefined ? 'unknown' : namespaces.join(', ')],
    ['KINDS:', String(kinds.length)],
  ];
  const nodeRows = (nodes ?? []).map(({ name, ready, unschedulable = false, roles, version: kubelet, capacity }) => [
    name,
    `${ready ? 'Ready' : 'NotReady'}${unschedulable ? ',SchedulingDisabled' : ''}`,
    roles.join(','),
    kubelet,
    capacity['cpu'] ?? '',
    capacity['memory'] ?? '',
  ]);
  const rightRows = (rights ?? []).map(({ verbs, groups, resources, names = [] }) => [
    resources.map((resource) => resource + groupSuffix(groups)).join(','),
    names.join(','),
    verbs.join(','),
  ]);
  return [
    rows(facts),
    ...(nodeRows.length > 0 ? [rows([['NODE', 'STATUS', 'ROLES', 'VERSION', 'CPU', 'MEMORY'], ...nodeRows])] : []),
    ...(rightRows.length > 0 ? [rows([['THE AGENT MAY ACCESS', 'ONLY', 'VERBS'], ...rightRows])] : []),
  ].join('\n');
}

function groupSuffix(groups: readonly string[]): string {
  const named = groups.filter((group) => group !== '');
  return named.length === 0 ? '' : `.${named.join('|')}`;
}

/** Returns a described object: its facts, its fields as YAML, and what belongs to it. */
export function describedText({ object, status, belongsTo, owners, conditions, pods, events }: Described, host: Host) {
  const metadata = fieldAt(object, 'metadata');
  const owned = owners.map(({ kind, name, exists = true }) => `${kind}/${name}${exists ? '' : ' (gone)'}`);
  const { counts } = status;
  const facts = [
    ['NAME:', stringAt(metadata, 'name') ?? ''],
    ['NAMESPACE:', stringAt(metadata, 'namespace') ?? ''],
    ['KIND:', `${stringAt(object, 'apiVersion') ?? ''} ${stringAt(object, 'kind') ?? ''}`],
    ['AGE:', ageOf(stringAt(metadata, 'creationTimestamp'), host)],
    ['STATUS:', [status.status, status.reason].filter((part) => part !== undefined).join(': ')],
    ['READY:', counts === undefined ? '' : `${counts.ready}/${counts.wanted}`],
    ['RELEASE:', belongsTo === undefined ? '' : `${belongsTo.namespace}/${belongsTo.name}`],
    ['OWNERS:', owned.join(' <- ')],
  ].filter(([, value]) => value !== '');
  const fields = Object.entries(object).filter(([name]) => !['apiVersion', 'kind', 'status'].includes(name));
  const conditionRows = conditions.map(({ type, status: state, reason = '', message = '' }) => [
    type,
    state,
    reason,
    message,
  ]);
  const podRows = pods.map(({ name, phase, ready, restarts }) => [name, phase, String(ready), String(restarts)]);
  return [
    rows(facts),
    ...(conditionRows.length > 0 ? [rows([['CONDITION', 'STATUS', 'REASON', 'MESSAGE'], ...conditionRows])] : []),
    ...(podRows.length > 0 ? [rows([['POD', 'PHASE', 'READY', 'RESTARTS'], ...podRows])] : []),
    eventTable(events, host),
    yamlText(valueOfPlain(Object.fromEntries(fields))),
  ].join('\n');
}

/** Returns the time since a time as `kubectl` shows it: `5s`, `3m`, `2h`, `4d`. */
function ageOf(time: string | undefined, host: Host): string {
  const seconds = Math.floor((Number(host.now() / 1_000_000n) - Date.parse(time ?? '')) / 1000);
  if (Number.isNaN(seconds)) return 'unknown';
  if (seconds < 120) return `${Math.max(0, seconds)}s`;
  if (seconds < 2 * 3600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 48 * 3600) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}
