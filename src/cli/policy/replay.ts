import * as z from 'zod';
import { messageOf } from '../../errors/index.ts';
import { currentDate } from '../../go/host.ts';
import { explain } from '../../policy/explain.ts';
import { argumentCount } from '../cobra/argument-count.ts';
import type { Command } from '../cobra/command.ts';
import type { ProgramDependencies } from '../dependencies.ts';
import { oneLine } from '../text.ts';
import { policyAt, refusedCode, scopeOf } from './tried-policy.ts';

/** A packet with a command, and when it was sent. */
const sentSchema = z.object({
  key: z.string().optional(),
  type: z.string(),
  payload: z.union([z.string(), z.record(z.string(), z.unknown())]).default({}),
  sentBy: z.string().optional(),
  at: z.iso.datetime({ offset: true }).optional(),
});

type Sent = z.output<typeof sentSchema>;

export const replayCommand: Command<ProgramDependencies> = {
  use: 'replay FILE COMMANDS',
  long: `Show what the policy in a file would have decided about commands, which are not sent. COMMANDS is a
file with a packet in each line, as {"key", "type", "payload", "sentBy", "at"}; - reads stdin. The
time "at" is that of windows (default: now).

Versions of charts and rendered objects are not in packets, so limits on them are not tried. The exit
code is ${refusedCode} if the policy refuses a command.`,
  examples: ['policy.yaml commands.jsonl'],
  checkArguments: argumentCount('exactly', 2),
  flags: () => [],
  async run({ args: [path = '', commands = ''], context }) {
    const { stdout, host } = context;
    const policy = await policyAt(path, context);
    const lines = new TextDecoder().decode(await context.readFile(commands)).split('\n');
    const now = currentDate(host);
    const counts = { allowed: 0, refused: 0 };
    for (const [index, line] of lines.entries()) {
      if (line.trim() === '') continue;
      const { sent, scope } = sentAt(line, `${commands}:${index + 1}`, context);
      const begins = sent.at === undefined ? now : new Date(sent.at);
      const { rule, refusal } = await explain(policy, { scope, begins, objects: [] });
      counts[refusal === undefined ? 'allowed' : 'refused']++;
      const outcome =
        refusal === undefined
          ? `allowed by ${rule === undefined ? 'the default' : `rule ${rule}`}`
          : `refused: ${refusal}`;
      stdout.write(`${oneLine(`${index + 1} ${sent.key ?? ''} ${sent.type}: ${outcome}`)}\n`);
    }
    stdout.write(`${counts.allowed} allowed, ${counts.refused} refused\n`);
    return counts.refused === 0 ? 0 : refusedCode;
  },
};

/** Reads a line. Throws an Error with its place. */
function sentAt(line: string, place: string, { table }: ProgramDependencies) {
  try {
    const sent: Sent = sentSchema.parse(JSON.parse(line));
    const payload = typeof sent.payload === 'string' ? (JSON.parse(sent.payload) as object) : sent.payload; // read below
    const scope = { ...scopeOf({ type: sent.type, payload, hasChart: false }, table), sentBy: sent.sentBy };
    return { sent, scope };
  } catch (error) {
    const [issue] = error instanceof z.ZodError ? error.issues : [];
    const reason = issue === undefined ? messageOf(error) : `${issue.path.join('.')}: ${issue.message}`;
    throw new Error(`${place}: ${reason}`, { cause: error });
  }
}
