import { customFlag, type Flag, listFlag } from '../../pflag/flag.ts';

/** Returns the flags for a post-renderer, which Helm finds among its plugins (pkg/cmd/flags.go). */
export function postRendererFlags(): Flag[] {
  const name = 'refused: in helm it names a plugin, and plugins are not run';
  return [
    customFlag('postRendererString', 'post-renderer', name, { check: refusePlugin }),
    {
      ...listFlag('post-renderer-args', 'argument of the post-renderer; may be repeated'),
      type: 'postRendererArgsSlice',
      shownDefault: '[]',
    },
  ];
}

function refusePlugin(name: string): string {
  if (name === '') return name;
  throw new Error('helm-agent does not run plugins; change the manifests in the chart, or use helm');
}
