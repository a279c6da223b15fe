/** Defaults of helm for an installation or an upgrade. */
export const deployDefaults = {
  wait: 'hookOnly',
  waitForJobs: false,
  settle: false,
  atomic: false,
  createNamespace: false,
  failFast: 'never',
} as const;

/** Defaults of helm for a rollback. */
export const rollbackDefaults = { wait: 'hookOnly', waitForJobs: false, settle: false, failFast: 'never' } as const;

/** Defaults of helm for an uninstallation. */
export const uninstallDefaults = { wait: 'hookOnly' } as const;
