import { codeOf, messageOf } from '../../../errors/index.ts';
import type { HelmContext } from '../context.ts';

const nameCheck = 'release name check failed: ';
const hidesWithoutDryRun = 'hiding Kubernetes secrets requires a dry-run mode';

/** Logs a failed installation, and returns its error, as Helm does (pkg/action/install.go). */
export function failedInstall(error: unknown, { log }: Pick<HelmContext, 'log'>): unknown {
  const text = messageOf(error);
  switch (codeOf(error)) {
    case 'unreachable': {
      const message = `cluster reachability check failed: ${text}`;
      log.rendering({ level: 'ERROR', message, attributes: {} });
      return new Error(message, { cause: error });
    }
    default:
      if (text.startsWith(nameCheck)) log.error('release name check failed', text.slice(nameCheck.length));
      if (text === hidesWithoutDryRun) log.rendering({ level: 'ERROR', message: text, attributes: {} });
      return error;
  }
}

/** Codes of upgrades that fail after they have stored their revision. */
const afterRecord = ['apply_failed', 'conflict', 'delete_failed', 'hook_failed', 'not_ready', 'timeout'];

/** Text before the reason in the error of an upgrade that was undone, or should have been. */
const undone =
  /^(?:release \S+ failed, and has been rolled back due to rollback-on-failure being set|(?:unable to find a previously successful release when attempting to rollback|an error occurred while (?:rolling back the release|cleaning up resources))\. original upgrade error): /;

/**
 * Logs an upgrade that has failed and stored a failed revision, before it was rolled back
 * (pkg/action/upgrade.go).
 */
export function logFailedUpgrade(error: unknown, name: string, { log }: Pick<HelmContext, 'log'>): void {
  if (afterRecord.includes(codeOf(error) ?? '')) log.warn('upgrade failed', { name, error: reasonOf(error) });
}

/** Returns the message of an error without what undoing the upgrade has added to it. */
function reasonOf(error: unknown): string {
  const text = messageOf(error);
  if (!undone.test(text)) return text;
  // an error that an agent has sent has no cause
  return error instanceof Error && error.cause instanceof Error ? error.cause.message : text.replace(undone, '');
}

/** Calls a function, and adds a prefix to the message of its error. */
export async function withPrefix<Result>(prefix: string, perform: () => Promise<Result>): Promise<Result> {
  try {
    return await perform();
  } catch (error) {
    throw new Error(`${prefix}: ${messageOf(error)}`, { cause: error });
  }
}
