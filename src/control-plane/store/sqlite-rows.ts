// The rows of commands in a SQLite file. The main thread makes them: a list of values is copied to
// the thread of the file faster than a record.
import type { SQLOutputValue } from 'node:sqlite';
import * as z from 'zod';
import { commandOutcomes, type CommandRecord } from './command-store.ts';

/** The values of a command, in the order of `columns`. */
export type CommandRow = readonly (string | number | null)[];

export const columns = [
  'key',
  'agent_id',
  'type',
  'fingerprint',
  'state',
  'instance_id',
  'payload',
  'is_durable',
  'is_connected',
  'expires_at',
  'last_event',
  'last_status',
  'last_evidence',
  'bytes',
  'result_number',
  'ended_at',
  'is_delivered',
  'chart',
  'sent_by',
  'lost_processes',
  'traceparent',
  'namespace',
  'release_name',
  'created_at',
  'envelope',
  'outcome',
];

export function rowOf(record: CommandRecord): CommandRow {
  const { end } = record;
  return [
    record.key,
    record.agentId,
    record.type,
    record.fingerprint,
    record.state,
    record.instanceId ?? null,
    record.payload ?? null,
    Number(record.isDurable),
    Number(record.isConnected),
    record.expiresAt ?? null,
    record.lastEvent,
    record.lastStatus,
    record.lastEvidence,
    record.bytes,
    end?.number ?? null,
    end?.at ?? null,
    end ? Number(end.isDelivered) : null,
    record.chart ?? null,
    record.sentBy ?? null,
    record.lostProcesses === undefined ? null : JSON.stringify(record.lostProcesses),
    record.traceparent ?? null,
    record.namespace ?? null,
    record.releaseName ?? null,
    record.createdAt ?? null,
    record.envelope ?? null,
    end?.outcome ?? null,
  ];
}

const rowSchema = z.object({
  key: z.string(),
  agent_id: z.string(),
  type: z.string(),
  fingerprint: z.string(),
  state: z.enum(['waiting', 'sent', 'accepted', 'done']),
  instance_id: z.string().nullable(),
  payload: z.string().nullable(),
  is_durable: z.number(),
  is_connected: z.number(),
  expires_at: z.number().nullable(),
  last_event: z.number(),
  last_status: z.number(),
  last_evidence: z.number(),
  bytes: z.number(),
  result_number: z.number().nullable(),
  ended_at: z.number().nullable(),
  is_delivered: z.number().nullable(),
  chart: z.string().nullable(),
  sent_by: z.string().nullable(),
  lost_processes: z.string().nullable(),
  traceparent: z.string().nullable(),
  namespace: z.string().nullable(),
  release_name: z.string().nullable(),
  created_at: z.number().nullable(),
  envelope: z.string().nullable(),
  outcome: z.enum(commandOutcomes).nullable(),
});

const lostProcessesSchema = z.array(z.string());

export function recordOf(row: Record<string, SQLOutputValue>): CommandRecord {
  const read = rowSchema.parse(row);
  const { result_number: number, ended_at: at, chart, sent_by: sentBy, lost_processes: lost, traceparent } = read;
  const { namespace, release_name: releaseName, created_at: createdAt, envelope, outcome } = read;
  const isDelivered = read.is_delivered === 1;
  return {
    key: read.key,
    agentId: read.agent_id,
    type: read.type,
    fingerprint: read.fingerprint,
    state: read.state,
    instanceId: read.instance_id ?? undefined,
    payload: read.payload ?? undefined,
    isDurable: read.is_durable === 1,
    isConnected: read.is_connected === 1,
    expiresAt: read.expires_at ?? undefined,
    lastEvent: read.last_event,
    lastStatus: read.last_status,
    lastEvidence: read.last_evidence,
    bytes: read.bytes,
    ...(chart !== null && { chart }),
    ...(sentBy !== null && { sentBy }),
    ...(traceparent !== null && { traceparent }),
    ...(namespace !== null && { namespace }),
    ...(releaseName !== null && { releaseName }),
    ...(createdAt !== null && { createdAt }),
    ...(envelope !== null && { envelope }),
    ...(lost !== null && { lostProcesses: lostProcessesSchema.parse(JSON.parse(lost)) }),
    ...(number !== null && at !== null && { end: { number, at, isDelivered, ...(outcome !== null && { outcome }) } }),
  };
}
