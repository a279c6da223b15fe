import type { Command } from 'commander';
import { listed } from '../chart-options.ts';
import { readLikePflag } from '../pflag-arguments.ts';
import { refuseHelmFlags } from '../helm-flags.ts';
import { releaseOf, shown } from './output/print.ts';
import { headText, testSuiteText } from './output/status.ts';
import type { CtlSession } from './session.ts';
import { addSubcommand, agentOption, deliverWithinOption, namespaceOption } from './subcommand.ts';
import { namesOfFilters } from './test-filters.ts';

interface TestFlags {
  [flag: string]: unknown;
  namespace?: string;
  timeout?: string;
  filter?: string[];
  logs?: boolean;
}

/** Adds `ctl test`. */
export function addTest(ctl: Command, session: CtlSession): void {
  const { stdout, host } = session.dependencies;
  const examples = ['test podinfo --agent edge-1 -n demo --logs', 'test podinfo --agent edge-1 --filter name=smoke'];
  const command = addSubcommand(ctl, 'test', 'Run the tests of a release', examples)
    .argument('<name>', 'name of the release')
    .addOption(agentOption())
    .addOption(deliverWithinOption())
    .addOption(namespaceOption())
    .option('--timeout <duration>', 'time limit (default: 5m)')
    .addOption(listed('--filter <filter>', 'run only the test name=NAME, or not the test !name=NAME'))
    .option('--logs', 'print the logs of the tests, while they run and at the end')
    .action(async (releaseName: string, flags: TestFlags) => {
      const { namespace, timeout, logs } = flags;
      const payload = { releaseName, namespace, timeout, logs, ...namesOfFilters(flags.filter ?? []) };
      await session.perform(flags, 'test_release', payload, {
        text({ release: answered, logs = [] }) {
          const release = releaseOf({ release: answered }, ['hooks']);
          const texts = logs.map(({ pod, container, log }) => `POD LOGS: ${pod} (${container})\n${log}\n`);
          const logText = flags.logs === true ? `\n${texts.join('')}` : '';
          return shown(headText(release, host) + testSuiteText(release, host) + logText, stdout);
        },
        failure: ({ failure }) => failure,
      });
    });
  readLikePflag(command);
  refuseHelmFlags(command, 'ctl');
}
