/** A library that is published as a package of its own, beside its entry in `helm-agent`. */
export interface Library {
  name: string;
  /** Below `dist/packages`. */
  folder: string;
  /** The entry in `helm-agent` with the same modules. */
  entry: string;
  description: string;
  /** Its entry first, then the threads that it starts; below `dist`. */
  modules: readonly string[];
  readme: string;
}

const documentation = 'https://github.com/helm-agent/helm-agent/blob/main/docs';

export const libraries: readonly Library[] = [
  {
    name: '@helm-agent/render',
    folder: 'render',
    entry: 'helm-agent/render',
    description: 'Renders Helm charts byte for byte as Helm does, without helm and without a cluster',
    modules: ['render/index.js', 'bin/render-worker.js'],
    readme: `# @helm-agent/render

Renders Helm charts byte for byte as Helm does, without helm and without a cluster. Documentation:
[The engine as a library](${documentation}/library.md).
`,
  },
  {
    name: '@helm-agent/control-plane',
    folder: 'control-plane',
    entry: 'helm-agent/control-plane',
    description: 'The control plane of helm-agent, in your own program',
    modules: ['control-plane/index.js', 'control-plane/store/sqlite-thread.js'],
    readme: `# @helm-agent/control-plane

The other end of the connections of [helm-agent](https://github.com/helm-agent/helm-agent), in your
own program. Documentation:
[The control plane as a library](${documentation}/library.md#the-control-plane-as-a-library).
`,
  },
];
