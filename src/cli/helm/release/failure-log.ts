import { codeOf, messageOf } from '../../../operation/error.ts';
import type { HelmContext } from '../context.ts';

const nameCheck = 'release name check failed: ';

/** Logs a failed installation, and returns its error, as Helm does (pkg/action/install.go). */
export function failedInstall(error: unknown, { log }: Pick<HelmContext, 'log'>): unknown {
  const text = messageOf(error);
  switch (codeOf(error)) {
    case 'unreachable': {
      const message = `cluster reachability check failed: ${text}`;
      log.rendering({ level: 'ERROR', message, attributes: {} });
      return new Error(message, { cause: error });
    }
    case 'release_exists':
      log.error('release name check failed', text.replace(nameCheck, ''));
      return error;
    default:
      return error;
  }
}

/** Codes of upgrades that fail after they have stored their revision. */
const afterRecord = ['apply_failed', 'conflict', 'delete_failed', 'hook_failed', 'not_ready', 'timeout'];

/** Logs an upgrade that has failed and stored a failed revision (pkg/action/upgrade.go). */
export function logFailedUpgrade(error: unknown, name: string, { log }: Pick<HelmContext, 'log'>): void {
  if (afterRecord.includes(codeOf(error) ?? '')) log.warn('upgrade failed', { name, error: messageOf(error) });
}
