import { isDryRun } from '../../protocol/commands/definition.ts';

interface HelmOptions {
  wait?: boolean | 'watcher' | 'legacy' | 'hookOnly' | undefined;
  dryRun?: boolean | 'none' | 'client' | 'server' | undefined;
  atomic?: boolean | undefined;
}

/**
 * Returns a payload with Helm's values of `wait` and `dryRun` as an operation has them. As in Helm,
 * an atomic operation waits also with `hookOnly` (pkg/action/install.go).
 */
export function withoutHelmOptions<Payload extends HelmOptions>(payload: Payload) {
  const { wait, dryRun, ...rest } = payload;
  return {
    ...rest,
    wait: wait === undefined ? undefined : wait === 'hookOnly' ? payload.atomic === true : wait !== false,
    waitStrategy: wait === 'legacy' ? wait : undefined,
    dryRun: isDryRun(dryRun) || undefined,
    offline: dryRun === 'client' || undefined,
  };
}
