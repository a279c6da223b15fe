import { readFile, stat } from 'node:fs/promises';
import { isMissing } from '../../../errors/index.ts';
import { parseUrl } from '../../../functions/support/net-url.ts';
import { openError } from '../../../go/file-error.ts';
import { quote } from '../../../go/strconv.ts';
import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command } from '../../cobra/command.ts';
import { loadChart } from '../../load-chart.ts';
import type { HelmContext } from '../context.ts';
import { connectionFlags, connectionOfFlags } from '../flags/connection-flags.ts';

/** `helm push` (pkg/cmd/push.go) */
export const pushCommand: Command<HelmContext> = {
  use: 'push [chart] [remote]',
  long: 'Upload the archive of a chart to a registry, and its signature if there is one beside it.',
  examples: ['web-1.2.0.tgz oci://registry.example/charts'],
  checkArguments: argumentCount('at least', 2),
  flags: connectionFlags,
  async run({ args: [path = '', remote = ''], flags, context }) {
    const { scheme } = parseUrl(remote);
    if (scheme === '') throw new Error('scheme prefix missing from remote (e.g. "oci://")');
    if (scheme !== 'oci') throw new Error(`scheme ${quote(scheme)} not supported`);
    const facts = await stat(path).catch((error: unknown) => {
      throw isMissing(error) ? new Error(`${path}: no such file`, { cause: error }) : openError(path, error);
    });
    if (facts.isDirectory()) throw new Error('cannot push directory, must provide chart archive (.tgz)');
    const archive = await readFile(path);
    const { metadata } = await loadChart({ archive, name: path }, context.log.notice);
    const provenance = await readFile(`${path}.prov`).catch(() => undefined);
    const { pushToRegistry } = await import('./push-to-registry.ts');
    const chart = { metadata, archive, provenance, created: facts.mtime };
    await pushToRegistry(remote, chart, connectionOfFlags(flags), context);
  },
};
