import { argumentCount } from '../cobra/argument-count.ts';
import type { Command } from '../cobra/command.ts';
import type { ProgramDependencies } from '../dependencies.ts';
import { switchFlag, textFlag } from '../pflag/flag.ts';
import { givenSettings } from '../settings.ts';
import { controlPlaneClient, serverSettings } from './control-plane-client.ts';

const hourMs = 3_600_000;
const units: Readonly<Record<string, number>> = { m: 60_000, h: hourMs, d: 24 * hourMs };

export const auditCommand: Command<ProgramDependencies> = {
  use: 'audit',
  long: `Print the audit log of the control plane, one JSON object a line. "helm-agent
audit verify" checks what this prints.`,
  examples: ['--since 24h', '> audit.jsonl', '--since 2026-01-01T00:00:00Z --follow'],
  checkArguments: argumentCount('exactly', 0),
  flags: () => [
    textFlag('since', 'print the entries of this time and later: 30m, 24h, 7d, or a time in RFC 3339 (default: all)'),
    switchFlag('follow', 'print further entries until Ctrl-C', { shorthand: 'f' }),
  ],
  async run({ flags, context }) {
    const { stdout, host } = context;
    const client = await controlPlaneClient(givenSettings(serverSettings, flags), context);
    const since = sinceTime(flags.optionalText('since'), Number(host.now() / 1_000_000n));
    const isFollowed = flags.isOn('follow');
    const interrupted = new AbortController();
    const endListening = context.onInterrupt(() => interrupted.abort());
    const signal = AbortSignal.any([interrupted.signal, stdout.closed]);
    try {
      for await (const line of client.audit({ since, isFollowed }, signal)) stdout.write(`${line}\n`);
      if (isFollowed) throw new Error('the control plane has ended the log; print what follows with --since');
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      endListening();
    }
    return 0;
  },
};

/** Returns a time in RFC 3339. `now` is in milliseconds. */
function sinceTime(text: string | undefined, now: number): string | undefined {
  if (text === undefined) return undefined;
  const [, count, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const time = count === undefined ? Date.parse(text) : now - Number(count) * (units[unit] ?? 0);
  if (!Number.isNaN(time) && (count !== undefined || text.includes('T'))) return new Date(time).toISOString();
  throw new Error(`--since must be 30m, 24h or 7d, or a time in RFC 3339, not ${JSON.stringify(text)}`);
}
