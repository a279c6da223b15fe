import { effect, type Signal, signal } from '@preact/signals';

const storageKey = 'helm-agent-theme';

/** Returns the choice of colours, which the browser keeps. */
export function createTheme(root: HTMLElement, storage: Storage): Signal<'system' | 'light' | 'dark'> {
  const stored = storage.getItem(storageKey);
  const theme = signal<'system' | 'light' | 'dark'>(stored === 'light' || stored === 'dark' ? stored : 'system');
  effect(() => {
    if (theme.value === 'system') {
      delete root.dataset['theme'];
      storage.removeItem(storageKey);
    } else {
      root.dataset['theme'] = theme.value;
      storage.setItem(storageKey, theme.value);
    }
  });
  return theme;
}
