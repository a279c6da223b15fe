import { type Flag, switchFlag, textFlag } from '../pflag/flag.ts';

const switches = [
  'add-dir-header',
  'alsologtostderr',
  'legacy-stderr-threshold-behavior',
  'logtostderr',
  'one-output',
  'skip-headers',
  'skip-log-headers',
];

const texts = [
  'alsologtostderrthreshold',
  'log-backtrace-at',
  'log-dir',
  'log-file',
  'log-file-max-size',
  'stderrthreshold',
  'vmodule',
];

/** Flags of Kubernetes' logger, which Helm accepts and does not show. They have no effect here. */
export const klogFlags: readonly Flag[] = [
  ...switches.map((name) => switchFlag(name, '', { isHidden: true })),
  ...texts.map((name) => textFlag(name, '', { isHidden: true })),
  textFlag('v', '', { shorthand: 'v', isHidden: true }),
];
