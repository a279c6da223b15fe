import { execPod } from '../../../protocol/commands/exec-pod.ts';
import type { CommandParameters } from '../../../protocol/commands/index.ts';
import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command, Invocation } from '../../cobra/command.ts';
import type { ProgramDependencies } from '../../dependencies.ts';
import { textFlag } from '../../pflag/flag.ts';
import { oneLine } from '../../text.ts';
import { fieldFlags } from '../../verb/field-flags.ts';
import { fieldValues } from '../../verb/field-values.ts';
import { pipeTerminal } from '../exec/pipe-terminal.ts';
import { noticeText, runSession } from '../exec/run-session.ts';
import { sendFlags, sessionFlags } from '../send-flags.ts';
import { createSession } from '../session.ts';
import { CopyCount } from './copy-count.ts';
import { download, type RunProgram, upload } from './copy-files.ts';
import { type CopyPlace, type PodPlace, readCopyPlace } from './copy-place.ts';

const line = { program: 'ctl' } as const;

/** The flags of `exec_pod` that are for copies, too. */
const { releaseName, container, timeout, idleTimeout, reason } = execPod.fields;
const fields = { releaseName, container, timeout, idleTimeout, reason };

/** Exit code of a program that Ctrl-C has ended, as in shells. */
const interruptedCode = 130;

export const copyCommand: Command<ProgramDependencies> = {
  use: 'cp FROM TO',
  long: `Copy a file, or a folder with all that is in it, from or to a container. One of
the two is POD:PATH, where POD can also be a workload, such as deploy/web, of
which a pod that runs is taken; :PATH is for --release. As with cp, the copy is in
TO if that is a folder, and has the name TO otherwise. Files that exist are
replaced. Modes are kept; links and special files are left out. The container
needs tar, and the owner of the agent has to allow it: --allow-rights exec.`,
  examples: [
    'dump.sql web-0:/tmp/ -n shop --agent edge-1',
    'deploy/web:/var/log/app ./logs -n shop --agent edge-1',
    '--release web :/etc/app.conf . --agent edge-1',
  ],
  checkArguments: argumentCount('exactly', 2),
  flags: () => [
    ...fieldFlags(fields, line),
    ...sendFlags(),
    textFlag('namespace', 'namespace of the pod (default: default)', { shorthand: 'n' }),
  ],
  run: copy,
};

type Payload = CommandParameters['exec_pod'];

async function copy({ args, flags, context }: Invocation<ProgramDependencies>): Promise<number> {
  const [from, to] = args.map(readCopyPlace);
  const values = fieldValues(fields, line, flags, false) as Partial<Payload>; // of its fields
  const { pod, isUpload } = podPlaceOf(from, to, values.releaseName);
  const session = createSession(context);
  const sent = sessionFlags(flags);
  const agent = session.agentOf(sent);
  const { stderr } = context;
  const stopped = new AbortController();
  const { signal } = stopped;
  const release = context.onInterrupt(() => stopped.abort());
  const count = new CopyCount(stderr);
  try {
    const client = await session.client(sent);
    const run: RunProgram = async (payload, pipes) => {
      const { key } = await client.send(agent, { type: 'exec_pod', payload }, signal);
      const result = await runSession(client.sessionAddress(key), execPod.answer, {
        terminal: pipeTerminal(pipes),
        ...{ input: payload.stdin === true, tty: false, signal },
        onNotice: ({ state, user }) => count.say(noticeText(state, user, key)),
      });
      if (result.ok) return result.answer;
      throw new Error(`${oneLine(result.error.message)} (${result.error.code})`);
    };
    const payload = {
      ...values,
      ...(pod.target !== '' && { name: pod.target }),
      namespace: flags.optionalText('namespace') ?? 'default',
    };
    const copying = { payload, run, count, signal };
    const path = (isUpload ? from : to)?.path ?? '';
    const end = isUpload ? await upload(path, pod.path, copying) : await download(pod.path, path, copying);
    const place = `${oneLine(end.pod)}, container ${oneLine(end.container)}`;
    count.say(`copied ${count.text()} ${isUpload ? 'to' : 'from'} ${place}`);
    return count.files === 0 && count.leftOut > 0 ? 1 : 0;
  } catch (error) {
    if (signal.aborted) return interruptedCode;
    throw error;
  } finally {
    release();
    stopped.abort();
  }
}

/** Returns which of two places is in a container. */
function podPlaceOf(from: CopyPlace | undefined, to: CopyPlace | undefined, releaseName: string | undefined) {
  const places = [from, to].filter((place): place is PodPlace => place !== undefined && 'target' in place);
  const [pod] = places;
  if (pod === undefined || places.length !== 1) {
    throw new Error('name a container in one of the two, as in web-0:/tmp/a.txt; the other one is on this machine');
  }
  if ((pod.target === '') !== (releaseName !== undefined)) {
    throw new Error('name a pod or a workload, as in web-0:/tmp/a.txt, or give --release and :/tmp/a.txt');
  }
  return { pod, isUpload: pod === to };
}
