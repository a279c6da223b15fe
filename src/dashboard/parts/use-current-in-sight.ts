import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** Returns a reference for a row of links that scrolls: the current one comes into sight. */
export function useCurrentInSight(current: string | undefined): RefObject<HTMLElement | null> {
  const row = useRef<HTMLElement>(null);
  useEffect(() => {
    const link = row.current?.querySelector<HTMLElement>('[aria-current]');
    if (!row.current || !link) return;
    // scrollIntoView would scroll the page, too
    row.current.scrollLeft =
      link.offsetLeft - row.current.offsetLeft - (row.current.clientWidth - link.offsetWidth) / 2;
  }, [current]);
  return row;
}
