import { quote } from '../../../go/strconv.ts';
import { customFlag, type Flag } from '../../pflag/flag.ts';
import type { HelmContext } from '../context.ts';

const usage =
  'wait until all resources are ready: watcher; legacy judges by the rules of helm 3, hookOnly waits for hooks only';

/** Returns the flag `--wait` (pkg/cmd/flags.go). Its value is a strategy. */
export function waitFlag({ log }: Pick<HelmContext, 'log'>): Flag {
  return customFlag('WaitStrategy', 'wait', usage, {
    initial: 'hookOnly',
    withoutValue: 'watcher',
    check(text) {
      switch (text) {
        case 'watcher':
        case 'legacy':
        case 'hookOnly':
          return text;
        case 'true':
          log.warn('--wait=true is deprecated (boolean value) and can be replaced with --wait=watcher', {});
          return 'watcher';
        case 'false':
          log.warn('--wait=false is deprecated (boolean value) and can be replaced with --wait=hookOnly', {});
          return 'hookOnly';
        default:
          throw new Error(`invalid wait input ${quote(text)}. Valid inputs are watcher, hookOnly, and legacy`);
      }
    },
  });
}

/** Returns the strategy of the flag. */
export function waitStrategy(text: string): 'watcher' | 'legacy' | 'hookOnly' {
  return text === 'watcher' || text === 'legacy' ? text : 'hookOnly';
}
