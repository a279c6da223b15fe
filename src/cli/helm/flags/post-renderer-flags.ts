import { customFlag, listFlag, type Flag } from '../../pflag/flag.ts';

/** Returns the flags for a post-renderer, which Helm finds among its plugins (pkg/cmd/flags.go). */
export function postRendererFlags(): Flag[] {
  const name =
    'the name of a postrenderer type plugin to be used for post rendering. If it exists, the plugin will be used';
  return [
    customFlag('postRendererString', 'post-renderer', name, { check: refusePlugin }),
    {
      ...listFlag('post-renderer-args', 'an argument to the post-renderer (can specify multiple)'),
      type: 'postRendererArgsSlice',
      shownDefault: '[]',
    },
  ];
}

function refusePlugin(name: string): string {
  if (name === '') return name;
  throw new Error('helm-agent does not run plugins; change the manifests in the chart, or use helm');
}
