import { execPod } from '../../../protocol/commands/exec-pod.ts';
import type { CommandParameters } from '../../../protocol/commands/index.ts';
import type { Command, Invocation } from '../../cobra/command.ts';
import type { ProgramDependencies, SessionTerminal } from '../../dependencies.ts';
import { textFlag } from '../../pflag/flag.ts';
import { fieldFlags } from '../../verb/field-flags.ts';
import { fieldValues } from '../../verb/field-values.ts';
import type { ApiClient } from '../api-client.ts';
import { failureText } from '../result-text.ts';
import { sendFlags, sessionFlags } from '../send-flags.ts';
import { createSession } from '../session.ts';
import { noticeText, runSession } from './run-session.ts';
import { watchSession } from './watch-session.ts';

const line = { program: 'ctl' } as const;

/** Exit code of a program that Ctrl-C has ended, as in shells. */
const interruptedCode = 130;

export const execCommand: Command<ProgramDependencies> = {
  use: 'exec POD -- COMMAND [ARGUMENTS]',
  long: `Run a program in a container, and exit with its code. POD can also be a workload,
such as deploy/web or job/backup, of which a pod that runs is taken. In a terminal
without a command, this opens the first shell that the container has. The owner of
the agent has to allow it: --allow-rights exec.

The control plane may ask for a second person, who watches with --join KEY and
ends the session with Ctrl-C.`,
  examples: [
    'web-0 -n shop --agent edge-1',
    'deploy/web -n shop --agent edge-1 -it -- sh -l',
    '--release web --agent edge-1 -- env',
    'web-0 --agent edge-1 -i -- tar x -C /data < data.tar',
    '--join 5f0c3a52-2f0e-4b7e-9d0b-6a4c1f0e7d11',
  ],
  flags: () => [
    ...fieldFlags(execPod.fields, line),
    ...sendFlags(),
    textFlag('namespace', 'namespace of the pod (default: default)', { shorthand: 'n' }),
    textFlag('join', 'watch the session of another person, by its key'),
  ],
  run: exec,
};

async function exec({ args, flags, context }: Invocation<ProgramDependencies>): Promise<number> {
  const session = createSession(context);
  const sent = sessionFlags(flags);
  const joined = flags.optionalText('join');
  if (joined !== undefined) return await join(await session.client(sent), joined, { args, context });
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
    const result = await runSession(client.sessionAddress(key), execPod.answer, {
      terminal,
      input: stdin,
      tty,
      signal: stopped.signal,
      onNotice: ({ state, user }) => context.stderr.write(`${noticeText(state, user, key)}\r\n`),
    });
    if (result.ok) return result.answer.exitCode;
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

/** Shows the session of another person. Ctrl-C ends it for both. */
async function join(
  client: ApiClient,
  key: string,
  { args, context }: { args: readonly string[]; context: ProgramDependencies },
): Promise<number> {
  if (args.length > 0) throw new Error('--join takes no further arguments; the key names the session');
  const terminated = new AbortController();
  const terminal = await context.openSessionTerminal();
  const release = context.onInterrupt(() => terminated.abort());
  context.stderr.write('You watch this session. Ctrl-C ends it for both of you.\n');
  try {
    await watchSession(client.sessionAddress(key, 'watch'), { terminal, terminated: terminated.signal });
    return terminated.signal.aborted ? interruptedCode : 0;
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
