import type { ComponentChildren } from 'preact';

/** How good a state is. Each has a shape of its own, so that colours are not needed. */
export type Tone = 'good' | 'busy' | 'warning' | 'bad' | 'quiet';

const shapes: Record<Tone, string> = {
  good: 'M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2z',
  busy: 'M8 1.5a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13zm0 3a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7z',
  warning: 'M8 2.2 15 14H1z',
  bad: 'M3 3h10v10H3z',
  quiet: 'M2.5 6.5h11v3h-11z',
};

/** A state, with its shape and colour. */
export function Badge({ tone, children, title }: { tone: Tone; children: ComponentChildren; title?: string }) {
  return (
    <span class={`badge ${tone}`} title={title}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d={shapes[tone]} />
      </svg>
      <span class="badge-text">{children}</span>
    </span>
  );
}
