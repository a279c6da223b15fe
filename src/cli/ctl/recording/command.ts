import { createInterface } from 'node:readline/promises';
import { Readable } from 'node:stream';
import { valueOfPlain } from '../../../release/plain-value.ts';
import { argumentCount } from '../../cobra/argument-count.ts';
import { type Command, loadedEntry } from '../../cobra/command.ts';
import type { ProgramDependencies } from '../../dependencies.ts';
import { outputFlag, outputFormat } from '../../helm/flags/output-flag.ts';
import { customFlag } from '../../pflag/flag.ts';
import type { FlagValues } from '../../pflag/flag-values.ts';
import { givenSettings } from '../../settings.ts';
import { table } from '../../table.ts';
import { oneLine } from '../../text.ts';
import type { RecordingSummary } from '../api-client.ts';
import { controlPlaneClient, serverSettings } from '../control-plane-client.ts';
import { type Output, textOf } from '../output/format.ts';
import { printBytes } from '../print-bytes.ts';
import { playRecording } from './play-recording.ts';

const oneArgument = argumentCount('exactly', 1);

/** Exit code of a program that Ctrl-C has ended, as in shells. */
const interruptedCode = 130;

export const recordingCommand: Command<ProgramDependencies> = {
  use: 'recording',
  long: `List, play and get the recordings of "ctl exec". The control plane records with
--record-sessions.`,
  subcommands: [
    loadedEntry('list', 'list the recordings', {
      use: 'list',
      long: 'List the newest 1,000 recordings of sessions that you may run yourself.',
      examples: ['', '-o json'],
      checkArguments: argumentCount('exactly', 0),
      flags: () => [outputFlag],
      async run({ flags, context }) {
        const client = await controlPlaneClient(givenSettings(serverSettings, flags), context);
        const recordings = await client.recordings(new AbortController().signal);
        context.stdout.write(textOf(outputFormat(flags), recordingsOutput(recordings)));
        return 0;
      },
    }),
    loadedEntry('play', 'show a recording in this terminal', {
      use: 'play KEY',
      long: `Show a recording in this terminal, at the pace at which it was recorded. Ctrl-C
ends it.`,
      examples: ['1c3e', '1c3e --speed 4 --max-pause 1'],
      checkArguments: oneArgument,
      flags: () => [
        customFlag('number', 'speed', 'how often faster than it was recorded', { initial: '1' }),
        customFlag('seconds', 'max-pause', 'longest pause', { initial: '2' }),
      ],
      run: play,
    }),
    loadedEntry('get', 'print a recording as asciicast v2', {
      use: 'get KEY',
      long: 'Print a recording in the format asciicast v2, which asciinema and its web player read.',
      examples: ['1c3e > session.cast'],
      checkArguments: oneArgument,
      async run({ args: [key = ''], flags, context }) {
        const client = await controlPlaneClient(givenSettings(serverSettings, flags), context);
        return await printBytes(context.stdout, (signal) => client.recording(key, signal));
      },
    }),
  ],
};

async function play({
  args: [key = ''],
  flags,
  context,
}: {
  args: readonly string[];
  flags: FlagValues;
  context: ProgramDependencies;
}): Promise<number> {
  const { stdout } = context;
  const speed = positiveNumber(flags, 'speed');
  const maxPause = positiveNumber(flags, 'max-pause');
  const client = await controlPlaneClient(givenSettings(serverSettings, flags), context);
  const interrupted = new AbortController();
  const endListening = context.onInterrupt(() => interrupted.abort());
  const signal = AbortSignal.any([interrupted.signal, stdout.closed]);
  try {
    const input = Readable.from(client.recording(key, signal));
    const lines = createInterface({ input, crlfDelay: Infinity });
    await playRecording(lines, { stdout, speed, maxPause, signal });
    return 0;
  } catch (error) {
    if (signal.aborted) return interruptedCode;
    throw error;
  } finally {
    endListening();
  }
}

function positiveNumber(flags: FlagValues, name: string): number {
  const text = flags.text(name);
  const value = /^\d{1,6}(?:\.\d{1,6})?$/.test(text) ? Number(text) : 0;
  if (value > 0) return value;
  throw new Error(`--${name} must be a number above 0, not ${JSON.stringify(text)}`);
}

function recordingsOutput(recordings: readonly RecordingSummary[]): Output {
  return {
    table() {
      const rows = recordings.map(({ key, startedAt, user, agentId, namespace = '', pod = '', bytes, reason = '' }) =>
        [key, startedAt, user, agentId, namespace, pod, String(bytes), reason].map(oneLine),
      );
      const head = ['KEY', 'STARTED AT', 'USER', 'AGENT', 'NAMESPACE', 'POD', 'BYTES', 'REASON'];
      return `${table([head, ...rows]).join('\n')}\n`;
    },
    data: () => recordings.map(valueOfPlain),
  };
}
