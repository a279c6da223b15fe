import type { ComponentChildren } from 'preact';

/** A fact: its name and its value. A `long` one has the place of two. */
type Fact = readonly [name: string, value: ComponentChildren, length?: 'long'];

/** Short facts about a thing. Those without a value are left out. */
export function Facts({ of }: { of: readonly Fact[] }) {
  return (
    <dl class="facts">
      {of
        .filter(([, value]) => value !== undefined && value !== null && value !== '')
        .map(([name, value, length]) => (
          <div key={name} class={length}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
