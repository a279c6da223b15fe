import { Option } from 'commander';

const behaviours = ['queue', 'reject', 'supersede'] as const;

/** Returns the flag for a release on which another command runs or waits. */
export function ifBusyOption({ supersedes }: { supersedes: boolean }): Option {
  const supersede = supersedes ? '; supersede stops installations and upgrades that run or wait' : '';
  const description = `if another command on the release runs or waits: queue runs after it, reject fails${supersede}`;
  return new Option('--if-busy <what>', `${description} (default: queue)`).choices(
    behaviours.filter((behaviour) => supersedes || behaviour !== 'supersede'),
  );
}
