import type { CommandAnswers } from '../../../protocol/commands/index.ts';
import { valueMapOfPlain } from '../../../release/plain-value.ts';
import type { Printable } from '../../ctl/output/format.ts';
import type { Invocation } from '../../cobra/command.ts';
import { integerFlag, type Flag } from '../../pflag/flag.ts';
import type { HelmContext } from '../context.ts';
import { withReleases } from './with-releases.ts';

type Answer = CommandAnswers['get_release'];

/** Returns the flag that selects a revision. */
export function revisionFlag(): Flag {
  return integerFlag('revision', 'the revision (default: the newest)');
}

/** Returns the release that an invocation names. As in Helm, a negative revision is the newest. */
export async function getRelease(
  { args: [releaseName = ''], flags, context }: Invocation<HelmContext>,
  { allValues = false } = {},
): Promise<Answer> {
  const revision = flags.integer('revision');
  const payload = {
    releaseName,
    namespace: await context.namespace(),
    ...(revision > 0 && { version: revision }),
    ...(allValues && { allValues }),
  };
  return withReleases(context, (releases) => releases.perform('get_release', payload));
}

/** Returns the values that the release was rendered with. */
export function computedValues({ values }: Answer): Printable {
  if (values === undefined) throw new Error('the values are too large for a packet');
  return valueMapOfPlain(values);
}
