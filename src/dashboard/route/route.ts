/** The path of each view. A part with a colon is a parameter. */
export const routes = {
  overview: '/',
  agents: '/agents',
  agent: '/agents/:agent',
  release: '/agents/:agent/releases/:namespace/:release',
  terminal: '/agents/:agent/terminal',
  logs: '/agents/:agent/logs',
  plan: '/agents/:agent/plans/:plan',
  rollouts: '/rollouts',
  rollout: '/rollouts/:rollout',
  startRollout: '/start-rollout',
  commands: '/commands',
  command: '/commands/:command',
  plans: '/plans',
  sessions: '/sessions',
  session: '/sessions/:command',
  audit: '/audit',
  tokens: '/tokens',
  people: '/people',
  connect: '/connect',
} as const;

export type RouteName = keyof typeof routes;

type ParameterIn<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParameterIn<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

/** The parameters in the path of a view. */
export type RouteParameters<Name extends RouteName> = Readonly<Record<ParameterIn<(typeof routes)[Name]>, string>>;

/** A release in the cluster of an agent. */
export type ReleasePlace = RouteParameters<'release'>;

/** The filters of a view. An empty text counts as absent. */
export type Query = Readonly<Record<string, string | undefined>>;

/** A view with its parameters and filters. */
export interface Place {
  /** Undefined if no view has the path. */
  readonly name: RouteName | undefined;
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
}

/** Returns the path and the query of a view. */
export function hrefOf<Name extends RouteName>(
  name: Name,
  parameters: RouteParameters<Name>,
  query: Query = {},
): string {
  const given: Readonly<Record<string, string>> = parameters;
  const segments = routes[name]
    .split('/')
    .map((segment) => (segment.startsWith(':') ? encodeURIComponent(given[segment.slice(1)] ?? '') : segment));
  return segments.join('/') + queryText(query);
}

/** Returns `?` and the filters that are not empty, by name; an empty text if all are. */
export function queryText(query: Query): string {
  const entries = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const text = new URLSearchParams(entries.sort(([a], [b]) => (a < b ? -1 : 1))).toString();
  return text === '' ? '' : `?${text}`;
}

/** Returns the view of a URL's path and query. */
export function placeOf({ pathname, search }: { pathname: string; search: string }): Place {
  const query = Object.fromEntries(new URLSearchParams(search));
  const segments = pathname === '/' ? ['', ''] : pathname.replace(/(?<=[^/])\/$/, '').split('/');
  for (const [name, path] of Object.entries(routes)) {
    const parameters = parametersOf(path.split('/'), segments);
    // as the table has them
    if (parameters) return { name: name as RouteName, parameters, query };
  }
  return { name: undefined, parameters: {}, query };
}

function parametersOf(pattern: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    const segment = segments[index] ?? '';
    if (!part.startsWith(':')) {
      if (part !== segment) return undefined;
      continue;
    }
    const value = decoded(segment);
    if (value === undefined || value === '') return undefined;
    parameters[part.slice(1)] = value;
  }
  return parameters;
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
