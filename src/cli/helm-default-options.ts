/** Defaults of helm for an installation or an upgrade. */
export const deployDefaults = {
  wait: 'hookOnly',
  waitForJobs: false,
  settle: false,
  atomic: false,
  createNamespace: false,
  failFast: 'never',
} as const;
