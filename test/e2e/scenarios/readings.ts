import type { CommandAnswers } from '../../../src/protocol/commands/index.ts';
import { customLabels } from '../../../src/release/storage/storage.ts';
import type { CommandPacket } from './packets.ts';
import { readingFlags } from './reading-flags.ts';

/** A command line that only reads, and what helm and the answer of a packet say of the same. */
export interface Reading {
  packet: CommandPacket;
  /** Command lines of helm that print all facts together. */
  helmLines: readonly (readonly string[])[];
  /** Returns the facts in the output of these command lines. */
  inOutput(outputs: readonly string[]): unknown;
  /** Returns the facts in the answer. */
  inAnswer(answer: Answer): unknown;
}

/** The answer of any reading command. */
export type Answer = Partial<CommandAnswers['list_releases'] & CommandAnswers['get_release']> &
  Partial<Pick<CommandAnswers['release_status'], 'resources'>>;
type Release = CommandAnswers['get_release']['release'];

const readingVerbs = new Set(['list', 'history', 'status', 'get']);
const json = ['-o', 'json'];

/** Returns the reading for a command line, or undefined if there is none. */
export function readingOf(line: readonly string[], namespace: string): Reading | undefined {
  const [verb = '', ...words] = line;
  if (!readingVerbs.has(verb)) return undefined;
  const { names, flags, lineFlags } = readingFlags(words);
  const packet = (type: string, payload: object) => ({ type, payload: { ...payload, ...flags, namespace } });
  switch (verb) {
    case 'list':
      return {
        packet: packet('list_releases', { sort: 'name', max: 256 }),
        helmLines: [['list', ...lineFlags, ...json]],
        inOutput: ([list = '']) => JSON.parse(list) as unknown,
        inAnswer: ({ releases = [] }) => releases.map(listed),
      };
    case 'history':
      return named(names, ([releaseName]) => ({
        packet: packet('release_history', { releaseName }),
        helmLines: [['history', releaseName, ...lineFlags, ...json]],
        inOutput: ([history = '']) => JSON.parse(history) as unknown,
        inAnswer: ({ releases = [] }) => releases.map(revision),
      }));
    case 'status':
      return named(names, ([releaseName]) => ({
        packet: packet('release_status', { releaseName }),
        helmLines: [['status', releaseName, ...lineFlags, ...json]],
        inOutput: ([status = '']) => withObjects(JSON.parse(status) as HelmStatus), // the JSON of helm status
        inAnswer: ({ release, resources = [] }) => ({
          ...stored(releaseIn(release)),
          objects: resources
            .filter(({ status }) => status !== 'NotFound')
            .map(({ kind, name }) => `${kind}/${name}`)
            .sort(),
        }),
      }));
    case 'get':
      return named(names.slice(1), ([releaseName]) => part(names[0] ?? '', releaseName));
    default:
      return undefined;
  }

  function part(name: string, releaseName: string): Reading | undefined {
    const wanted =
      name === 'all' ? [...partsOfAll] : name === 'values' && lineFlags.includes('--all') ? ['allValues'] : [name];
    const parts = wanted.flatMap((each) => (isPart(each) ? [each] : []));
    if (parts.length === 0) return undefined;
    const ofRevision = lineFlags.filter((flag) => flag !== '--all');
    const hasRevision = ofRevision.length > 0;
    return {
      packet: packet('get_release', { releaseName, ...(parts.includes('allValues') && { allValues: true }) }),
      helmLines: parts.map((each) => ['get', ...partFlags[each](releaseName), ...ofRevision]),
      inOutput: (outputs) =>
        Object.fromEntries(parts.map((each, index) => [each, printedPart(each, outputs[index] ?? '')])),
      inAnswer: (answer) => Object.fromEntries(parts.map((each) => [each, answeredPart(each, answer, hasRevision)])),
    };
  }
}

function named(names: readonly string[], read: (names: readonly [string]) => Reading | undefined): Reading | undefined {
  const [name, ...others] = names;
  return name === undefined || others.length > 0 ? undefined : read([name]);
}

const partFlags = {
  values: (name: string) => ['values', name, ...json],
  allValues: (name: string) => ['values', name, '--all', ...json],
  metadata: (name: string) => ['metadata', name, ...json],
  manifest: (name: string) => ['manifest', name],
  hooks: (name: string) => ['hooks', name],
  notes: (name: string) => ['notes', name],
};
type Part = keyof typeof partFlags;
const partsOfAll = Object.keys(partFlags);

function isPart(name: string): name is Part {
  return Object.hasOwn(partFlags, name);
}

function printedPart(name: Part, output: string): unknown {
  switch (name) {
    case 'values':
    case 'allValues':
      return (JSON.parse(output) as unknown) ?? {};
    case 'metadata':
      return withoutEmpty(JSON.parse(output));
    default:
      return output;
  }
}

function answeredPart(name: Part, { release, values, labels = {} }: Answer, hasRevision: boolean): unknown {
  const { config, manifest = '', hooks, ...rest } = releaseIn(release);
  switch (name) {
    case 'values':
      return config ?? {};
    case 'allValues':
      return values;
    case 'manifest':
      return `${manifest}\n`;
    case 'hooks':
      return ((hooks ?? []) as { path: string; manifest: string }[]) // as Helm's JSON has them
        .map((hook) => `---\n# Source: ${hook.path}\n${hook.manifest}\n`)
        .join('');
    case 'notes':
      return (rest.info.notes ?? '') === '' ? '' : `NOTES:\n${rest.info.notes}\n`;
    case 'metadata': {
      const { name: chart, version, appVersion, annotations, dependencies } = rest.chart?.metadata ?? {};
      return withoutEmpty({
        ...{ name: rest.name, chart, version, appVersion, annotations, dependencies },
        // as in Helm, its own labels are shown if no revision is named
        labels: hasRevision ? customLabels(labels) : labels,
        ...{ namespace: rest.namespace, revision: rest.version, status: rest.info.status },
        ...{ deployedAt: rest.info.last_deployed, applyMethod: rest['apply_method'] },
      });
    }
  }
}

function listed({ name, namespace, version, info, chart }: Release): unknown {
  const { status, last_deployed: updated } = info;
  return { name, namespace, revision: String(version), updated, status, ...chartFields(chart) };
}

function revision({ version, info, chart }: Release): unknown {
  const { status, last_deployed: updated, description } = info;
  return { revision: version, updated, status, ...chartFields(chart), description };
}

function chartFields(chart: Release['chart']) {
  const { name, version, appVersion = '' } = chart?.metadata ?? {};
  return { chart: `${name}-${version}`, app_version: appVersion };
}

interface HelmStatus extends Release {
  info: Release['info'] & { resources?: Record<string, { kind: string; metadata: { name: string } }[]> };
}

/** Returns the release in the output of `helm status`, and the names of its objects. */
function withObjects({ info: { resources = {}, ...info }, ...release }: HelmStatus): unknown {
  const objects = Object.entries(resources).flatMap(([kind, list]) => (kind.endsWith('(related)') ? [] : list));
  return {
    ...stored({ ...release, info }),
    objects: objects.map(({ kind, metadata: { name } }) => `${kind}/${name}`).sort(),
  };
}

/** Returns a release without its chart and without empty fields, which Helm leaves out. */
function stored({ chart: _chart, config, ...release }: Release): object {
  return { ...(withoutEmpty(release) as object), config: config ?? {} };
}

function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, field]) => [key, withoutEmpty(field)] as const);
  return Object.fromEntries(entries.filter(([, field]) => !isEmpty(field)));
}

function isEmpty(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === undefined || value === null || value === '' || value === 0 || value === false;
}

function releaseIn(release: Release | undefined): Release {
  if (release === undefined) throw new Error('the answer has no release');
  return release;
}
