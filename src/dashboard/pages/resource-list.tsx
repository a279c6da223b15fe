import type { ResourceProgress } from '../../protocol/progress.ts';
import { Badge, type Tone } from '../parts/badge.tsx';
import { Name } from '../parts/name.tsx';
import { foreignName } from '../text/foreign-text.ts';

/** How each status of kstatus looks. */
const statuses = new Map(
  Object.entries<{ tone: Tone; shown: string }>({
    Current: { tone: 'good', shown: 'Ready' },
    InProgress: { tone: 'busy', shown: 'In progress' },
    Failed: { tone: 'bad', shown: 'Failed' },
    Terminating: { tone: 'warning', shown: 'Terminating' },
    NotFound: { tone: 'warning', shown: 'Not found' },
  }),
);

/** Resources with their states, and why they are not ready. Those that are not come first. */
export function ResourceList({ resources }: { resources: readonly ResourceProgress[] }) {
  const sorted = [...resources].sort((a, b) => Number(a.status === 'Current') - Number(b.status === 'Current'));
  return (
    <ul class="rows" aria-label="Resources">
      {sorted.map((resource) => {
        const { kind, namespace = '', name, status, reason, counts } = resource;
        const { tone, shown } = statuses.get(status) ?? { tone: 'quiet', shown: foreignName(status) };
        return (
          <li key={`${kind}/${namespace}/${name}`}>
            <span class="row-state">
              <Badge tone={tone}>{shown}</Badge>
            </span>
            <span class="row-main">
              <span class="row-title">
                <span class="muted">{foreignName(kind)}</span> <Name>{name}</Name>
                {counts && (
                  <span class="muted">
                    {' '}
                    {counts.ready}/{counts.wanted}
                  </span>
                )}
              </span>
              {reason !== undefined && <bdi class="reason">{foreignName(reason, 1000)}</bdi>}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
