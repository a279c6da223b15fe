import { maxWaitMs } from '../protocol/streams/least-rate.ts';

const mebibyte = 1024 * 1024;

/**
 * Bounds of what agents and users can make a control plane keep. docs/limits.md says what happens
 * beyond each of them.
 */
export interface ControlPlaneLimits {
  /** Number of commands of one agent that have no result. */
  agentCommands: number;
  /** Number of commands of all agents that have no result. */
  commands: number;
  /** Bytes of the payloads of one agent's commands that it has not accepted. */
  agentPayloadBytes: number;
  /** Bytes of the payloads of all commands that no agent has accepted. */
  payloadBytes: number;
  /** Bytes of the packets of the events of all commands that have no result. */
  eventBytes: number;
  /** Number of packets that an agent has not confirmed. */
  unconfirmedPackets: number;
  /** Size of the payloads of these packets. */
  unconfirmedBytes: number;
  /** Number of changes that wait to be stored. */
  unstoredChanges: number;
  /** Bytes of the packets of these changes. */
  unstoredBytes: number;
  /** Time in milliseconds in which a change for which someone waits must be stored. */
  storeWaitMs: number;
  /** Bytes of the bodies of all requests to the API that are being read. */
  requestBytes: number;
  /** Bytes of events that users have been sent and have not read. */
  unreadBytes: number;
  /** Bytes of all archives of charts that were uploaded. */
  uploadBytes: number;
  /**
   * Time in milliseconds that a user who uploads a chart can let the control plane wait for each
   * 64 KiB of it.
   */
  uploadWaitMs: number;
  /** Bytes that charts and recordings leave free, so that commands can be stored. */
  reservedBytes: number;
  /**
   * Number of agents that connect in a second. Further ones are refused with a time after which
   * they try again, and agents that lose their connections come back at this rate.
   */
  arrivals: number;
  /** Number of agents whose position in the series of packets is kept. */
  sessions: number;
  /** Number of agents that are remembered when they are not connected. */
  knownAgents: number;
  /**
   * Age in milliseconds of an agent's process before it gets a command that may have ended another
   * one; five times as long if it was the only one that the other process had not accepted.
   */
  suspectAgeMs: number;
  /** Number of entries of the audit log. */
  auditEntries: number;
  /** Age in milliseconds of the entries of the audit log. */
  auditMs: number;
  /** Number of recordings of sessions. */
  recordings: number;
  /** Bytes of one recording. */
  recordingBytes: number;
  /** Bytes of all recordings. */
  allRecordingBytes: number;
  /** Age in milliseconds after which a recording is deleted. */
  recordingMs: number;
}

export const defaultControlPlaneLimits: ControlPlaneLimits = {
  agentCommands: 10_000,
  commands: 100_000,
  agentPayloadBytes: 64 * mebibyte,
  payloadBytes: 128 * mebibyte,
  eventBytes: 64 * mebibyte,
  unconfirmedPackets: 20_000,
  unconfirmedBytes: 128 * mebibyte,
  unstoredChanges: 50_000,
  unstoredBytes: 32 * mebibyte,
  storeWaitMs: 10_000,
  requestBytes: 64 * mebibyte,
  unreadBytes: 64 * mebibyte,
  uploadBytes: 2048 * mebibyte,
  uploadWaitMs: maxWaitMs,
  reservedBytes: 256 * mebibyte,
  arrivals: 500,
  sessions: 20_000,
  knownAgents: 100_000,
  suspectAgeMs: 2000,
  auditEntries: 1_000_000,
  auditMs: 400 * 24 * 3_600_000,
  recordings: 20_000,
  recordingBytes: 1024 * mebibyte,
  allRecordingBytes: 10 * 1024 * mebibyte,
  recordingMs: 400 * 24 * 3_600_000,
};

/** Time for a user to upload a chart, in milliseconds. */
export const uploadTimeoutMs = 600_000;

/** Enough for 10,000 agents, of which any number has not proved its key yet. */
export const defaultMaxConnections = 20_000;
