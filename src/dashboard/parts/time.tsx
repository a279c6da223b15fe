import { relativeTime } from '../text/time-text.ts';
import { useApp } from './app-context.ts';

const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'long' });

/** A time as seen from now, with the exact one on hover. `at` is in RFC 3339. */
export function Time({ at }: { at: string | null | undefined }) {
  const { now } = useApp();
  const time = at ? Date.parse(at) : Number.NaN;
  if (Number.isNaN(time)) return <span class="muted">never</span>;
  return (
    <time dateTime={new Date(time).toISOString()} title={exact.format(time)}>
      {relativeTime(time, now.value)}
    </time>
  );
}
