import { queryText } from '../route/route.ts';
import { useApp } from './app-context.ts';
import { useCurrentInSight } from './use-current-in-sight.ts';

/** Parts of a view, of which the address names one. The first is the default. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly (readonly [name: string, title: string])[] }) {
  const current = useTab(tabs);
  const row = useCurrentInSight(current);
  return (
    <nav ref={row} class="tabs" aria-label={label}>
      {tabs.map(([name, title], index) => (
        <a
          key={name}
          href={window.location.pathname + queryText({ tab: index === 0 ? '' : name })}
          aria-current={name === current ? 'page' : undefined}
        >
          {title}
        </a>
      ))}
    </nav>
  );
}

/** Returns the part of the view that the address names. */
export function useTab<Name extends string>(tabs: readonly (readonly [name: Name, title: string])[]): Name | undefined {
  const { location } = useApp();
  const named = location.place.value.query['tab'];
  return (tabs.find(([name]) => name === named) ?? tabs[0])?.[0];
}
