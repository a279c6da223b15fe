import { writeFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { pack } from 'tar-stream';
import { codeOf, messageOf } from '../../errors/index.ts';
import type { CommandAnswers } from '../../protocol/commands/index.ts';
import { argumentCount } from '../cobra/argument-count.ts';
import type { Command } from '../cobra/command.ts';
import type { ProgramDependencies } from '../dependencies.ts';
import { textFlag } from '../pflag/flag.ts';
import { table } from '../table.ts';
import { oneLine } from '../text.ts';
import { sessionFlags } from './send-flags.ts';
import { createSession } from './session.ts';

type Bundle = CommandAnswers['support_bundle'];

export const supportBundleCommand: Command<ProgramDependencies> = {
  use: 'support-bundle AGENT',
  long: `Collect what helps to find out why an agent does not work, in an archive for its
maintainers: versions, flags, rights, newest commands, log lines, metrics, health,
and the pods and events of its namespace. The agent removes secrets. Its owner has
to allow that with --allow-rights support.`,
  examples: ['edge-1', 'edge-1 -o edge-1.tar.gz'],
  checkArguments: argumentCount('exactly', 1),
  flags: () => [
    textFlag('output', 'archive to write (default: helm-agent-support-AGENT-TIME.tar.gz)', { shorthand: 'o' }),
  ],
  async run({ args: [agent = ''], flags, context }) {
    const time = new Date(Number(context.host.now() / 1_000_000n));
    const file = flags.text('output') || archiveName(agent, time);
    const text = async (bundle: Bundle) => {
      await writeArchive(file, await archiveOf(bundle, { agent, time }));
      return summaryOf(bundle, file);
    };
    return await createSession(context).perform(
      { ...sessionFlags(flags), agent },
      'support_bundle',
      {},
      { quiet: true, text },
    );
  },
};

/** Ids of agents can have characters that names of files must not have. */
function archiveName(agent: string, time: Date): string {
  const stamp = time
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(/[-:]/g, '');
  return `helm-agent-support-${agent.replaceAll(/[^\w.-]/g, '_')}-${stamp}.tar.gz`;
}

/** Writes a file that only this user can read. Throws an error if there is one with the name. */
async function writeArchive(file: string, bytes: Uint8Array): Promise<void> {
  try {
    await writeFile(file, bytes, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    const reason = codeOf(error) === 'EEXIST' ? 'it exists; name another file with --output' : messageOf(error);
    throw new Error(`cannot write ${file}: ${reason}`, { cause: error });
  }
}

async function archiveOf(bundle: Bundle, { agent, time }: { agent: string; time: Date }): Promise<Buffer> {
  const tar = pack();
  const add = (name: string, text: string) => tar.entry({ name: `support/${name}`, mode: 0o644, mtime: time }, text);
  add('README.txt', readmeOf(bundle, { agent, time }));
  for (const { name, text } of bundle.files) add(name, text);
  tar.finalize();
  return promisify(gzip)(await buffer(tar));
}

function readmeOf({ files, missing = [] }: Bundle, { agent, time }: { agent: string; time: Date }): string {
  const lines = [
    `Support bundle of the helm-agent ${oneLine(agent)}, collected at ${time.toISOString()}.`,
    '',
    'The agent has replaced secrets that it knows or recognises by ***. Read the files before you pass',
    'them on: names of releases, images and nodes are not replaced.',
    '',
    ...table(files.map(({ name, about }) => [name, oneLine(about)])),
    ...(missing.length === 0 ? [] : ['', 'Missing:', ...missing.map((reason) => `- ${oneLine(reason)}`)]),
  ];
  return `${lines.join('\n')}\n`;
}

function summaryOf({ files, missing = [] }: Bundle, file: string): string {
  const rows = files.map(({ name, about, text }) => [name, `${Math.ceil(text.length / 1024)} KiB`, oneLine(about)]);
  return [
    ...table([['FILE', 'SIZE', 'CONTENT'], ...rows]),
    ...missing.map((reason) => `missing: ${oneLine(reason)}`),
    `wrote ${file}; read it before you pass it on`,
    '',
  ].join('\n');
}
