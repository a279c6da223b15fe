/** The keys and their meanings, for the help. */
export const shortcuts = [
  ['/', 'search'],
  ['j', 'next row'],
  ['k', 'row before'],
  ['Enter', 'open the row'],
  ['g o', 'overview'],
  ['g a', 'agents'],
  ['g r', 'rollouts'],
  ['g c', 'commands'],
  ['g s', 'sessions'],
  ['?', 'this help'],
  ['Esc', 'leave the search, close a dialog'],
] as const;

const pages: Readonly<Record<string, string>> = {
  ...{ o: '/', a: '/agents', r: '/rollouts', c: '/commands', s: '/sessions' },
};

/** The longest pause between two keys of a shortcut, in milliseconds. */
const sequenceMs = 1000;

export interface KeyboardOptions {
  go: (href: string) => void;
  showHelp: () => void;
}

/** Listens to the keys of the window. Returns a function that ends it. */
export function listenToKeys(window: Window, { go, showHelp }: KeyboardOptions): () => void {
  const { document } = window;
  let prefixAt = Number.NEGATIVE_INFINITY;
  const onKey = (event: KeyboardEvent) => {
    const { key, target, timeStamp } = event;
    if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey) return;
    if (isEditable(target)) {
      if (key === 'Escape' && target instanceof HTMLElement) target.blur();
      return;
    }
    if (document.querySelector('dialog[open]')) return;
    const page = timeStamp - prefixAt < sequenceMs ? pages[key] : undefined;
    prefixAt = key === 'g' ? timeStamp : Number.NEGATIVE_INFINITY;
    if (page !== undefined) go(page);
    else if (key === '/') document.querySelector<HTMLElement>('[data-search]')?.focus();
    else if (key === 'j') moveFocus(document, 1);
    else if (key === 'k') moveFocus(document, -1);
    else if (key === '?') showHelp();
    else return;
    event.preventDefault();
  };
  document.addEventListener('keydown', onKey);
  return () => document.removeEventListener('keydown', onKey);
}

function isEditable(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, select, textarea, [contenteditable]');
}

function moveFocus(document: Document, step: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')];
  const current = rows.findIndex((row) => row === document.activeElement);
  const next = current < 0 ? rows[0] : rows[current + step];
  next?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: 'nearest' });
}
