import type { Failure } from '../../protocol/messages.ts';
import { Badge } from '../parts/badge.tsx';
import { Name } from '../parts/name.tsx';
import { Time } from '../parts/time.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import { hrefOf } from '../route/route.ts';
import type { ListedCommand } from '../server/types.ts';
import { foreignName } from '../text/foreign-text.ts';
import { newestByRelease, type ReleaseCommand } from './newest-by-release.ts';
import { useResults } from './use-results.ts';

/** The most releases that are shown. */
const maxShown = 20;

/** Releases whose last change has failed. */
export function FailingReleases({ commands }: { commands: readonly ListedCommand[] }) {
  const resultOf = useResults();
  const failed = newestByRelease(commands).filter(({ outcome }) => outcome !== 'succeeded');
  const failing = useLoaded(
    async (signal) => {
      const load = async (command: ReleaseCommand) => ({ command, result: await resultOf(command.key, signal) });
      const found: FailingReleaseProps[] = [];
      // one more than is shown says that there are more
      for (let start = 0; start < failed.length && found.length <= maxShown; start += maxShown) {
        for (const { command, result } of await Promise.all(failed.slice(start, start + maxShown).map(load))) {
          // a plan that waits for approvals has its place on the page of plans
          if (result?.ok !== false || result.error.code === 'approval_required') continue;
          found.push({ command, failure: result.error });
        }
      }
      return found;
    },
    [failed.map(({ key }) => key).join('\n')],
    { keepsValue: true },
  );
  const found = failing.value ?? [];
  if (found.length === 0) return null;
  return (
    <section>
      <h2>Failing releases</h2>
      <ul class="rows" aria-label="Failing releases">
        {found.slice(0, maxShown).map(({ command, failure }) => (
          <FailingRelease key={command.key} command={command} failure={failure} />
        ))}
      </ul>
      {found.length > maxShown && (
        <p>
          More releases fail: <a href={hrefOf('commands', {}, { outcome: 'failed' })}>commands that have failed</a>
        </p>
      )}
    </section>
  );
}

interface FailingReleaseProps {
  command: ReleaseCommand;
  failure: Failure;
}

function FailingRelease({ command, failure: { code, message } }: FailingReleaseProps) {
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
