import { useState } from 'preact/hooks';
import type { Release } from '../../protocol/release.ts';
import { Name } from '../parts/name.tsx';
import { Time } from '../parts/time.tsx';
import { queryText, type ReleasePlace } from '../route/route.ts';
import { foreignName } from '../text/foreign-text.ts';
import { RollbackDialog } from './release-actions.tsx';
import { chartText, ReleaseBadge } from './release-list.tsx';

/** The revisions of a release, the newest first. */
export function RevisionList({ place, revisions }: { place: ReleasePlace; revisions: readonly Release[] }) {
  const [target, setTarget] = useState<number>();
  const newest = revisions.at(-1)?.version;
  return (
    <>
      <ul class="rows" aria-label="Revisions">
        {[...revisions].reverse().map((release) => {
          const { version, info } = release;
          return (
            <li key={version}>
              <span class="row-state">
                <ReleaseBadge status={info.status} />
              </span>
              <span class="row-main">
                <span class="row-title">
                  Revision {version} <span class="muted">·</span> <Name>{chartText(release)}</Name>
                </span>
                {info.description !== undefined && <bdi class="reason">{foreignName(info.description, 500)}</bdi>}
              </span>
              <span class="row-end muted">
                <Time at={info.last_deployed} />
              </span>
              {version !== newest && (
                <span class="row-actions">
                  <a href={queryText({ tab: 'values', from: String(version), to: String(newest) })}>Compare</a>
                  <button type="button" onClick={() => setTarget(version)}>
                    Roll back
                  </button>
                </span>
              )}
            </li>
          );
        })}
      </ul>
      {target !== undefined && <RollbackDialog place={place} version={target} onClose={() => setTarget(undefined)} />}
    </>
  );
}
