import { foreignName } from '../text/foreign-text.ts';

/** A name that others have chosen: one line, cut by the layout, whole on hover. */
export function Name({ children }: { children: string }) {
  const shown = foreignName(children);
  return (
    <bdi class="name" title={shown}>
      {shown}
    </bdi>
  );
}
