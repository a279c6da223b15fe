import { computed, type ReadonlySignal, signal } from '@preact/signals';
import { type Place, placeOf, type Query, queryText } from './route.ts';

/** The address of the page. */
export interface Location {
  readonly place: ReadonlySignal<Place>;
  /** Shows another view. */
  go(href: string): void;
  /** Changes filters of the view. The history of the browser keeps one entry for them. */
  filter(changes: Query): void;
}

/** Follows the address of the window, and the links in it that lead to other views. */
export function createLocation(window: Window): Location {
  const read = () => ({ pathname: window.location.pathname, search: window.location.search });
  const address = signal(read());
  const place = computed(() => placeOf(address.value));
  const go = (href: string) => {
    const isCurrent = href === window.location.pathname + window.location.search;
    if (!isCurrent) window.history.pushState(null, '', href);
    address.value = read();
    window.scrollTo(0, 0);
  };
  window.addEventListener('popstate', () => (address.value = read()));
  window.document.addEventListener('click', (event) => {
    const href = followedLink(event);
    if (href === undefined) return;
    event.preventDefault();
    go(href);
  });
  return {
    place,
    go,
    filter(changes) {
      const { pathname } = address.value;
      window.history.replaceState(null, '', pathname + queryText({ ...place.value.query, ...changes }));
      address.value = read();
    },
  };
}

/** Returns the path of a link to another view that a plain click follows. */
function followedLink(event: MouseEvent): string | undefined {
  if (event.defaultPrevented || event.button !== 0) return undefined;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return undefined;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (link?.getAttribute('href')?.startsWith('/') !== true || link.target !== '') return undefined;
  return link.pathname + link.search;
}
