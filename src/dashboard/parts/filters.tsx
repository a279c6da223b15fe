import type { ComponentChildren } from 'preact';
import { useApp } from './app-context.ts';

/** The filters of a list, which are part of the address. */
export function Filters({ children }: { children: ComponentChildren }) {
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      {children}
    </form>
  );
}

/** A text to search for, which `/` focuses. */
export function SearchBox({ name = 'q', label }: { name?: string; label: string }) {
  const { location } = useApp();
  return (
    <input
      type="search"
      data-search
      name={name}
      aria-label={label}
      placeholder={`${label}   /`}
      maxLength={500}
      autocomplete="off"
      spellcheck={false}
      value={location.place.value.query[name] ?? ''}
      onInput={(event) => location.filter({ [name]: event.currentTarget.value })}
    />
  );
}

export interface ChoiceProps {
  /** The filter in the address. */
  name: string;
  label: string;
  /** The values, with what is shown for them. */
  options: readonly (readonly [value: string, shown: string])[];
  /** The text for no choice. Default: `all`. */
  none?: string;
}

/** A choice of one value, or of none. */
export function Choice({ name, label, options, none = 'all' }: ChoiceProps) {
  const { location } = useApp();
  const value = location.place.value.query[name] ?? '';
  const isKnown = value === '' || options.some(([option]) => option === value);
  return (
    <label class="choice">
      <span>{label}</span>
      <select name={name} value={value} onChange={(event) => location.filter({ [name]: event.currentTarget.value })}>
        <option value="">{none}</option>
        {options.map(([option, shown]) => (
          <option key={option} value={option}>
            {shown}
          </option>
        ))}
        {!isKnown && <option value={value}>{value}</option>}
      </select>
    </label>
  );
}

/** The namespace to look into. An empty text is for all. */
export function NamespaceField({ value }: { value: string }) {
  const { location } = useApp();
  return (
    <label class="choice">
      <span>Namespace</span>
      <input
        name="namespace"
        value={value}
        placeholder="all"
        maxLength={253}
        onChange={(event) => location.filter({ namespace: event.currentTarget.value.trim() })}
      />
    </label>
  );
}
