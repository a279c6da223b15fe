import { execPod } from '../../../protocol/commands/exec-pod.ts';
import type { CommandParameters } from '../../../protocol/commands/index.ts';
import type { Command, Invocation } from '../../cobra/command.ts';
import type { ProgramDependencies, SessionTerminal } from '../../dependencies.ts';
import { textFlag } from '../../pflag/flag.ts';
import { fieldFlags } from '../../verb/field-flags.ts';
import { fieldValues } from '../../verb/field-values.ts';
import { failureText } from '../result-text.ts';
import { sendFlags, sessionFlags } from '../send-flags.ts';
import { createSession } from '../session.ts';
import { runSession } from './run-session.ts';

const line = { program: 'ctl' } as const;

/** Exit code of a program that Ctrl-C has ended, as in shells. */
const interruptedCode = 130;

export const execCommand: Command<ProgramDependencies> = {
  use: 'exec POD -- COMMAND [ARGUMENTS]',
  long: `Run a program in a container, and exit with its code. POD can also be a workload,
such as deploy/web, of which a ready pod is taken. In a terminal without a
command, this opens the first shell that the container has. The owner of the
agent has to allow it: --allow-rights exec.`,
  examples: [
    'web-0 -n shop --agent edge-1',
    'deploy/web -n shop --agent edge-1 -it -- sh -l',
    '--release web --agent edge-1 -- env',
    'web-0 --agent edge-1 -i -- tar x -C /data < data.tar',
  ],
  flags: () => [
    ...fieldFlags(execPod.fields, line),
    ...sendFlags(),
    textFlag('namespace', 'namespace of the pod (default: default)', { shorthand: 'n' }),
  ],
  run: exec,
};

async function exec({ args, flags, context }: Invocation<ProgramDependencies>): Promise<number> {
  const session = createSession(context);
  const sent = sessionFlags(flags);
  const agent = session.agentOf(sent);
  const values = fieldValues(execPod.fields, line, flags, false) as Partial<CommandParameters['exec_pod']>; // of its fields
  const terminal = await context.openSessionTerminal();
  const stopped = new AbortController();
  const release = context.onInterrupt(() => stopped.abort());
  try {
    const payload = {
      ...values,
      ...targetOf(args, values.releaseName),
      namespace: flags.optionalText('namespace') ?? 'default',
    };
    const request = withTerminal(payload, terminal);
    const client = await session.client(sent);
    const { key } = await client.send(agent, { type: 'exec_pod', payload: request }, stopped.signal);
    const { stdin = false, tty = false } = request;
    const result = await runSession(client.sessionAddress(key), {
      terminal,
      input: stdin,
      tty,
      signal: stopped.signal,
    });
    if (result.ok) return result.exitCode;
    context.stderr.write(failureText(result.error));
    return 1;
  } catch (error) {
    if (stopped.signal.aborted) return interruptedCode;
    throw error;
  } finally {
    release();
    terminal.close();
  }
}

/** Returns the fields that arguments set. With `--release`, all of them are the command. */
function targetOf(args: readonly string[], releaseName: string | undefined): { name?: string; command?: string[] } {
  const [name, ...rest] = args;
  if (releaseName !== undefined) return args.length > 0 ? { command: [...args] } : {};
  if (name === undefined) throw new Error('name a pod, a workload such as deploy/web, or a release with --release');
  return { name, ...(rest.length > 0 && { command: rest }) };
}

/** Returns the payload with what the terminal of this program makes of it. */
function withTerminal<Payload extends Partial<CommandParameters['exec_pod']>>(
  payload: Payload,
  terminal: SessionTerminal,
): Payload & Pick<CommandParameters['exec_pod'], 'stdin' | 'tty' | 'size'> {
  const { isTerminal } = terminal;
  const isShell = payload.command === undefined;
  if (isShell && !isTerminal && payload.stdin !== true) {
    throw new Error('name a program after --, such as -- env; a shell needs a terminal, or -i');
  }
  const opened = isShell && isTerminal ? { stdin: true, tty: true } : {};
  const tty = opened.tty ?? payload.tty ?? false;
  if (tty && !isTerminal) throw new Error('-t needs a terminal for input and output; leave it out');
  return { ...payload, ...opened, ...(tty && { size: terminal.size() }) };
}
