import type { CommandParameters } from '../../../protocol/commands/index.ts';
import { podLogs } from '../../../protocol/commands/pod-logs.ts';
import type { Command, Invocation } from '../../cobra/command.ts';
import type { ProgramDependencies } from '../../dependencies.ts';
import { integerFlag, switchFlag, textFlag } from '../../pflag/flag.ts';
import type { FlagValues } from '../../pflag/flag-values.ts';
import { oneLine } from '../../text.ts';
import { exclusiveFlagsOf, fieldFlags } from '../../verb/field-flags.ts';
import { fieldValues } from '../../verb/field-values.ts';
import { failureText } from '../result-text.ts';
import { sendFlags, sessionFlags } from '../send-flags.ts';
import { createSession } from '../session.ts';
import { logPrinter } from './log-printer.ts';
import { readLogs } from './read-logs.ts';

const line = { program: 'ctl' } as const;

/** Exit codes of a program that Ctrl-C or a closed pipe has ended, as in shells. */
const interruptedCode = 130;
const brokenPipeCode = 141;

export const logsCommand: Command<ProgramDependencies> = {
  use: 'logs [POD]',
  long: `Print the logs of containers. POD can also be a workload, such as deploy/web, of
which all pods are read. With --follow, new lines are printed as they are
written, also those of restarted containers and of new pods, and after a lost
connection no line is missing or repeated. Secrets in logs are not masked. The
owner of the agent has to allow it: --allow-rights logs.`,
  examples: [
    'web-0 -n shop --agent edge-1',
    'deploy/web -n shop --follow --tail 10 --agent edge-1',
    '--release web --all-containers --since 5m --agent edge-1',
    'web-0 -c side --previous --agent edge-1',
  ],
  exclusiveFlags: exclusiveFlagsOf(podLogs.fields),
  flags: () => [
    ...fieldFlags(podLogs.fields, line),
    integerFlag('tail', 'number of the last lines of each container, or -1 for all', { initial: -1 }),
    switchFlag('no-prefix', 'do not print the pod and container before each line of several containers'),
    ...sendFlags(),
    textFlag('namespace', 'namespace of the pods (default: default)', { shorthand: 'n' }),
  ],
  run: printLogs,
};

async function printLogs({ args, flags, context }: Invocation<ProgramDependencies>): Promise<number> {
  const { stdout, stderr } = context;
  const session = createSession(context);
  const sent = sessionFlags(flags);
  const agent = session.agentOf(sent);
  const payload = payloadOf(args, flags);
  const stopped = new AbortController();
  const stop = () => stopped.abort();
  const release = context.onInterrupt(stop);
  stdout.closed.addEventListener('abort', stop);
  const isOfSeveral = payload.name === undefined || payload.name.includes('/') || payload.allContainers === true;
  const print = logPrinter({
    hasPrefix: isOfSeveral && !flags.isOn('no-prefix'),
    isTerminal: stdout.isTerminal,
  });
  try {
    const { deliverWithin } = sent;
    const result = await readLogs(await session.client(sent), {
      ...{ agent, payload, signal: stopped.signal },
      ...(typeof deliverWithin === 'string' && { deliverWithin: deliverWithin !== 'false' && deliverWithin }),
      async onRecord(record) {
        if (record.notice !== undefined) stderr.write(`${oneLine(record.notice)}\n`);
        const bytes = print(record);
        if (bytes.length > 0) await stdout.writeBytes(bytes);
      },
      say: (line) => stderr.write(`${line}\n`),
    });
    if (!result.ok) stderr.write(failureText(result.error));
    return result.ok && !hasProblems(result) ? 0 : 1;
  } catch (error) {
    if (stdout.closed.aborted) return brokenPipeCode;
    if (stopped.signal.aborted) return interruptedCode;
    throw error;
  } finally {
    release();
    stdout.closed.removeEventListener('abort', stop);
  }
}

function hasProblems(result: object): boolean {
  return 'problems' in result;
}

function payloadOf([name]: readonly string[], flags: FlagValues): Partial<CommandParameters['pod_logs']> {
  const values = fieldValues(podLogs.fields, line, flags, false) as Partial<CommandParameters['pod_logs']>; // of its fields
  const given = [name, values.releaseName, values.selector].filter((target) => target !== undefined);
  if (given.length !== 1) {
    throw new Error('name a pod, a workload such as deploy/web, a release with --release, or labels with --selector');
  }
  const tail = flags.integer('tail');
  return {
    ...values,
    // in a packet, a duration is a number of seconds
    ...(typeof values.since === 'number' && { since: values.since / 1000 }),
    ...(name !== undefined && { name }),
    ...(tail >= 0 && { tail }),
    namespace: flags.optionalText('namespace') ?? 'default',
  };
}
