import { Badge } from '../parts/badge.tsx';
import { Name } from '../parts/name.tsx';
import { Time } from '../parts/time.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import { hrefOf } from '../route/route.ts';
import type { ListedCommand } from '../server/types.ts';
import { foreignName } from '../text/foreign-text.ts';
import { newestByRelease, type ReleaseCommand } from './newest-by-release.ts';
import { useResults } from './use-results.ts';

/** The most releases whose last change is looked at. */
const maxReleases = 20;

/** Releases whose last change has failed. */
export function FailingReleases({ commands }: { commands: readonly ListedCommand[] }) {
  const resultOf = useResults();
  const newest = newestByRelease(commands, maxReleases).filter(({ outcome }) => outcome !== 'succeeded');
  const failing = useLoaded(
    async (signal) => {
      const load = async (command: ReleaseCommand) => {
        const result = await resultOf(command.key, signal);
        // a plan that waits for approvals has its place on the page of plans
        const hasFailed = result?.ok === false && result.error.code !== 'approval_required';
        return { command, failure: hasFailed ? result.error : undefined };
      };
      return await Promise.all(newest.map(load));
    },
    [newest.map(({ key }) => key).join('\n')],
    { keepsValue: true },
  );
  const shown = failing.value?.filter(({ failure }) => failure !== undefined) ?? [];
  if (shown.length === 0) return null;
  return (
    <section>
      <h2>Failing releases</h2>
      <ul class="rows" aria-label="Failing releases">
        {shown.map(({ command, failure }) => (
          <FailingRelease
            key={command.key}
            command={command}
            code={failure?.code ?? ''}
            message={failure?.message ?? ''}
          />
        ))}
      </ul>
    </section>
  );
}

interface FailingReleaseProps {
  command: ReleaseCommand;
  code: string;
  message: string;
}

function FailingRelease({ command, code, message }: FailingReleaseProps) {
  const { key, agentId, namespace, releaseName, createdAt } = command;
  return (
    <li>
      <span class="row-state">
        <Badge tone="bad">{foreignName(code)}</Badge>
      </span>
      <span class="row-main">
        <span class="row-title">
          <a href={hrefOf('release', { agent: agentId, namespace, release: releaseName })} data-row>
            <Name>{`${namespace}/${releaseName}`}</Name>
          </a>{' '}
          <span class="muted">
            on <Name>{agentId}</Name>
          </span>
        </span>
        <a class="reason" href={hrefOf('command', { command: key })}>
          <bdi>{foreignName(message, 300)}</bdi>
        </a>
      </span>
      <span class="row-end muted">
        <Time at={createdAt} />
      </span>
    </li>
  );
}
