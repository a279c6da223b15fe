import { load } from 'js-yaml';

/** The fields of the form that starts a rollout, as texts. */
export interface RolloutFields {
  readonly id: string;
  readonly agents: string;
  readonly labels: string;
  readonly releaseName: string;
  readonly namespace: string;
  readonly chartName: string;
  readonly repoUrl: string;
  readonly version: string;
  /** YAML. */
  readonly values: string;
  /** Sizes of waves, separated by commas. */
  readonly waves: string;
  readonly soak: string;
  readonly maxFailures: string;
}

export const emptyRollout: RolloutFields = {
  ...{ id: '', agents: '', labels: '', releaseName: '', namespace: '', chartName: '', repoUrl: '', version: '' },
  ...{ values: '', waves: '1, 10%, rest', soak: '1m', maxFailures: '0' },
};

/** The longest texts, in UTF-16 units. */
const maxJsonLength = 1024 * 1024;

/** The choices of the form that are not texts. */
export interface RolloutChoices {
  readonly approval: boolean;
  readonly plan: boolean;
  readonly test: boolean;
}

/**
 * Returns the request of the form, as docs/rollouts.md describes it. Throws an error that says
 * which field is wrong; the control plane checks the rest.
 */
export function rolloutRequest(fields: RolloutFields, { approval, plan, test }: RolloutChoices): object {
  const agents = listOf(fields.agents);
  const { id, labels, releaseName, namespace, chartName, repoUrl, version, soak } = fields;
  if (agents.length === 0 && labels.trim() === '') throw new Error('name agents or labels; * means all agents');
  const values = valuesOf(fields.values);
  return {
    ...textFields({ id, labels }),
    ...(agents.length > 0 && { agents }),
    payload: {
      ...textFields({ releaseName, namespace, chartName, repoUrl, version }),
      ...(values && { values }),
      wait: true,
    },
    waves: listOf(fields.waves).map((size) => (size === 'rest' ? {} : { size: amountOf(size, 'waves') })),
    soak: soak.trim() === '' ? false : soak.trim(),
    maxFailures: amountOf(fields.maxFailures.trim(), 'failures'),
    approval,
    plan,
    test,
  };
}

/** Returns the request of a text of JSON. Throws an error if it is not an object. */
export function parseRequest(text: string): object {
  if (text.length > maxJsonLength) throw new Error('the request is longer than 1 MiB');
  const value: unknown = JSON.parse(text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new Error('the request must be an object of JSON');
}

function listOf(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
}

/** Returns the texts that are not empty. */
function textFields(fields: Readonly<Record<string, string>>): Record<string, string> {
  const given = Object.entries(fields).map(([name, text]) => [name, text.trim()] as const);
  return Object.fromEntries(given.filter(([, text]) => text !== ''));
}

function amountOf(text: string, name: string): number | string {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  if (/^\d{1,3}%$/.test(text)) return text;
  throw new Error(`${name} must be numbers, or shares such as 10%`);
}

function valuesOf(text: string): object | undefined {
  if (text.trim() === '') return undefined;
  if (text.length > maxJsonLength) throw new Error('the values are longer than 1 MiB');
  const value: unknown = load(text);
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'object' && !Array.isArray(value)) return value;
  throw new Error('the values must be a map of YAML');
}
