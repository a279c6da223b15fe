import { dump } from 'js-yaml';
import type { Release } from '../../protocol/release.ts';
import { useApp } from '../parts/app-context.ts';
import { Changes, Code } from '../parts/code.tsx';
import { LoadedView } from '../parts/loaded-view.tsx';
import { EmptyState } from '../parts/message.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import type { ReleasePlace } from '../route/route.ts';
import { performCommand } from '../server/command.ts';
import { foreignLines } from '../text/foreign-text.ts';
import { changedLines } from '../text/line-changes.ts';
import { maskedManifest, maskedValues } from '../text/masked.ts';

export interface CompareRevisionsProps {
  place: ReleasePlace;
  part: 'values' | 'manifest';
  /** The oldest first. */
  revisions: readonly number[];
}

/** The values or the manifest of a revision, or how they differ from those of another one. */
export function CompareRevisions({ place, part, revisions }: CompareRevisionsProps) {
  const { api, location } = useApp();
  const { agent: agentId, namespace, release: releaseName } = place;
  const { from = '', to = '' } = location.place.value.query;
  const newest = revisions.at(-1) ?? 1;
  const shown = revisions.find((version) => String(version) === to) ?? newest;
  const base = revisions.find((version) => String(version) === from);
  const load = (version: number, signal: AbortSignal) =>
    performCommand(api, { agentId, type: 'get_release', payload: { namespace, releaseName, version } }, signal);
  const texts = useLoaded(
    async (signal) => {
      const [after, before] = await Promise.all([
        load(shown, signal),
        base === undefined || base === shown ? undefined : load(base, signal),
      ]);
      return { after: linesOf(after.release, part), before: before && linesOf(before.release, part) };
    },
    [agentId, namespace, releaseName, part, shown, base],
  );
  const options = [...revisions].reverse().map((version) => (
    <option key={version} value={String(version)}>
      {version}
    </option>
  ));
  return (
    <>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <label class="choice">
          <span>Revision</span>
          <select value={String(shown)} onChange={(event) => location.filter({ to: event.currentTarget.value })}>
            {options}
          </select>
        </label>
        <label class="choice">
          <span>compared with</span>
          <select
            value={base === undefined ? '' : String(base)}
            onChange={(event) => location.filter({ from: event.currentTarget.value })}
          >
            <option value="">none</option>
            {options}
          </select>
        </label>
      </form>
      <LoadedView of={texts}>
        {({ before, after }) => <Comparison part={part} before={before} after={after} />}
      </LoadedView>
    </>
  );
}

interface ComparisonProps {
  part: 'values' | 'manifest';
  before: readonly string[] | undefined;
  after: readonly string[];
}

function Comparison({ part, before, after }: ComparisonProps) {
  if (!before) {
    if (after.length === 0)
      return (
        <EmptyState title={part === 'values' ? 'The release has no values of its own' : 'The manifest is empty'} />
      );
    return <Code label={part} lines={after} />;
  }
  const changes = changedLines(before, after);
  if (changes.length === 0) {
    return (
      <EmptyState title="Nothing differs">
        <p>Values that are masked are not compared.</p>
      </EmptyState>
    );
  }
  return <Changes label={`differences of the ${part}`} changes={changes} />;
}

/** Returns a part of a release as lines, with secrets masked. */
function linesOf({ config, manifest = '' }: Release, part: 'values' | 'manifest'): string[] {
  if (part === 'manifest') return maskedManifest(foreignLines(manifest.trim()));
  return config && Object.keys(config).length > 0 ? yamlLines(maskedValues(config)) : [];
}

/** Returns a value as lines of YAML. */
function yamlLines(value: unknown): string[] {
  return foreignLines(dump(value, { lineWidth: -1, noRefs: true, sortKeys: true }).trimEnd());
}
