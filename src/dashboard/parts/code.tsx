import type { LineChange } from '../text/line-changes.ts';

const signs = { same: ' ', added: '+', removed: '−' } as const;

/** Lines of a text. `label` names it for screen readers. */
export function Code({ label, lines }: { label: string; lines: readonly string[] }) {
  return (
    <div class="code" role="region" aria-label={label} tabIndex={0}>
      {lines.map((line, index) => (
        // lines have no other identity
        <div key={index}>{line || ' '}</div>
      ))}
    </div>
  );
}

/** Lines that differ between two texts. */
export function Changes({ label, changes }: { label: string; changes: readonly LineChange[] }) {
  return (
    <div class="code" role="region" aria-label={label} tabIndex={0}>
      {changes.map(({ change, line }, index) => (
        <div key={index} class={change}>
          {signs[change]} {line}
        </div>
      ))}
    </div>
  );
}
