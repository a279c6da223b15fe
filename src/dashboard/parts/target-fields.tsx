import { useApp } from './app-context.ts';

/** The pods that logs or a terminal are about. Each is part of the address. */
export interface PodTarget {
  readonly namespace: string;
  /** A pod, or a workload as `deploy/web`. */
  readonly name?: string;
  readonly releaseName?: string;
  readonly container?: string;
}

/** Returns the pods that the address names; undefined if it names none. */
export function usePodTarget(): PodTarget | undefined {
  const { location } = useApp();
  const { namespace = 'default', name, release, container } = location.place.value.query;
  if (name === undefined && release === undefined) return undefined;
  return {
    namespace,
    ...(name === undefined ? { releaseName: release ?? '' } : { name }),
    ...(container !== undefined && { container }),
  };
}

/** Fields that name the pods. */
export function TargetFields() {
  const { location } = useApp();
  const { query } = location.place.value;
  const field = (name: 'namespace' | 'name' | 'release' | 'container', label: string, placeholder: string) => (
    <label>
      <span>{label}</span>
      <input
        name={name}
        value={query[name] ?? ''}
        placeholder={placeholder}
        maxLength={253}
        autocomplete="off"
        spellcheck={false}
        onChange={(event) => location.filter({ [name]: event.currentTarget.value.trim() })}
      />
    </label>
  );
  return (
    <div class="pairs">
      {field('namespace', 'Namespace', 'default')}
      {field('release', 'Release', 'web')}
      {field('name', 'Or a pod or workload', 'deploy/web, web-0')}
      {field('container', 'Container', 'the first one')}
    </div>
  );
}
