import { type AuditFields, auditOf } from '../audit/audit-entry.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { SendRequest } from '../command-methods.ts';
import type { Dispatcher } from '../dispatcher.ts';
import type { Rollout } from './rollout.ts';
import type { RolloutCommand } from './rollout-runner.ts';
import { rolloutView } from './rollout-view.ts';

export interface RolloutSenderOptions {
  dispatcher: Pick<Dispatcher, 'send'>;
  audit: Pick<AuditLog, 'add'>;
}

/** Returns a function that sends the commands of rollouts, and notes them in the audit log. */
export function rolloutSender({ dispatcher, audit }: RolloutSenderOptions) {
  return (agentId: string, request: SendRequest): RolloutCommand => {
    const command = dispatcher.send(agentId, request);
    const about: AuditFields = { action: 'rollout', decision: 'allowed', outcome: 'ok', ...auditOf(command) };
    if (!command.isRestored) audit.add({ ...about, user: request.principal?.name ?? 'application' });
    return {
      stored: command.stored,
      outcome: () => command.outcome(),
      // the result says what came of it
      cancel: () => void command.cancel(undefined).catch(() => undefined),
    };
  };
}

/** Returns the entry about the phase and the wave of a rollout. */
export function auditOfRollout(rollout: Rollout): AuditFields {
  const { id, type, releaseName, namespace, phase, wave, awaitsApproval } = rolloutView(rollout);
  return {
    action: 'rollout changed',
    decision: 'allowed',
    outcome: 'ok',
    ...{ rolloutId: id, type, releaseName, namespace, wave },
    phase: awaitsApproval ? 'awaiting-approval' : phase,
  };
}
