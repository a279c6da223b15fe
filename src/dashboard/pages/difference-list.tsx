import type { CommandAnswers } from '../../protocol/commands/index.ts';
import { Badge, type Tone } from '../parts/badge.tsx';
import { EmptyState } from '../parts/message.tsx';
import { Name } from '../parts/name.tsx';
import { foreignName } from '../text/foreign-text.ts';

/** An object that differs. */
export type Difference = CommandAnswers['diff_release']['differences'][number];

const changes: Record<Difference['change'], { tone: Tone; shown: string }> = {
  added: { tone: 'good', shown: 'Added' },
  changed: { tone: 'busy', shown: 'Changed' },
  recreated: { tone: 'warning', shown: 'Recreated' },
  removed: { tone: 'bad', shown: 'Removed' },
  unknown: { tone: 'quiet', shown: 'Unknown' },
};

/** The most fields of one object that are shown. */
const maxFields = 50;

/** Objects that differ, with their fields before and after. */
export function DifferenceList({ differences, unchanged }: { differences: readonly Difference[]; unchanged?: number }) {
  if (differences.length === 0) {
    return (
      <EmptyState title="Nothing changes">
        <p>All objects stay as they are.</p>
      </EmptyState>
    );
  }
  return (
    <>
      <ul class="rows" aria-label="Differences">
        {differences.map((difference) => (
          <DifferenceRow key={keyOf(difference)} difference={difference} />
        ))}
      </ul>
      {unchanged !== undefined && unchanged > 0 && <p class="muted">{unchanged} objects stay as they are.</p>}
    </>
  );
}

function keyOf({ apiVersion, kind, namespace = '', name }: Difference): string {
  return [apiVersion, kind, namespace, name].join('/');
}

function DifferenceRow({ difference: { change, kind, name, fields = [], reason } }: { difference: Difference }) {
  return (
    <li>
      <span class="row-state">
        <Badge tone={changes[change].tone}>{changes[change].shown}</Badge>
      </span>
      <span class="row-main">
        <span class="row-title">
          <span class="muted">{foreignName(kind)}</span> <Name>{name}</Name>
        </span>
        {reason !== undefined && <bdi class="reason">{foreignName(reason, 1000)}</bdi>}
        {fields.length > 0 && (
          <dl class="fields">
            {fields.slice(0, maxFields).map(({ path, before, after }) => (
              <div key={path}>
                <dt>
                  <bdi>{foreignName(path, 500)}</bdi>
                </dt>
                <dd>
                  {before !== undefined && <del>{valueText(before)}</del>}{' '}
                  {after !== undefined && <ins>{valueText(after)}</ins>}
                </dd>
              </div>
            ))}
          </dl>
        )}
        {fields.length > maxFields && <span class="muted">… and {fields.length - maxFields} more fields</span>}
      </span>
    </li>
  );
}

function valueText(value: unknown): string {
  return foreignName(typeof value === 'string' ? value : JSON.stringify(value), 500);
}
