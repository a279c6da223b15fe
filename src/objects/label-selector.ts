/**
 * One requirement of a label selector. `values` is empty for `Exists` and `DoesNotExist`, and one
 * integer for `Gt` and `Lt`, which the selectors of workloads do not have.
 */
export interface LabelRequirement {
  key: string;
  operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt';
  values: readonly string[];
}

/** A `metav1.LabelSelector`, as in the spec of a workload. */
export interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
}

/** Thrown for a selector that the API server would refuse as well. */
export class SelectorError extends Error {
  override readonly name = 'SelectorError';
  readonly code = 'bad_request';
}

const key = '((?:[A-Za-z0-9](?:[-A-Za-z0-9.]*[A-Za-z0-9])?/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?)';
const value = '((?:[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?)?)';
const existence = new RegExp(`^(!?)\\s*${key}$`);
const equality = new RegExp(`^${key}\\s*(==|=|!=)\\s*${value}$`);
const membership = new RegExp(`^${key}\\s+(in|notin)\\s*\\(([^()]*)\\)$`);
const comparison = new RegExp(`^${key}\\s*([<>])\\s*${value}$`);
const wholeValue = new RegExp(`^${value}$`);

/** The largest 64-bit integer. A label cannot have a sign. */
const maxInteger = 2n ** 63n - 1n;

/** Reads a selector in the API's text form: `app=web,tier in (a,b),!old,generation>2`. */
export function parseLabelSelector(text: string): LabelRequirement[] {
  if (text.trim() === '') return [];
  return partsOf(text).map((part) => parseRequirement(part.trim(), text));
}

/** Splits a text at its commas, except those in parentheses. */
function partsOf(text: string): string[] {
  const parts: string[] = [];
  let isInside = false;
  let end = text.length;
  for (let index = text.length - 1; index >= 0; index--) {
    const character = text.charAt(index);
    if (character === ')') isInside = true;
    else if (character === '(') isInside = false;
    else if (character === ',' && !isInside) {
      parts.push(text.slice(index + 1, end));
      end = index;
    }
  }
  return [...parts, text.slice(0, end)].reverse();
}

function parseRequirement(part: string, whole: string): LabelRequirement {
  const exists = existence.exec(part);
  if (exists) return { key: exists[2] ?? '', operator: exists[1] === '!' ? 'DoesNotExist' : 'Exists', values: [] };
  const equal = equality.exec(part);
  if (equal) return { key: equal[1] ?? '', operator: equal[2] === '!=' ? 'NotIn' : 'In', values: [equal[3] ?? ''] };
  const compared = comparison.exec(part);
  if (compared) {
    const [, key = '', operator, value = ''] = compared;
    requireInteger(value);
    return { key, operator: operator === '>' ? 'Gt' : 'Lt', values: [value] };
  }
  const member = membership.exec(part);
  if (member) {
    const values = (member[3] ?? '').split(',').map((item) => item.trim());
    if (values.every((item) => wholeValue.test(item))) {
      return { key: member[1] ?? '', operator: member[2] === 'in' ? 'In' : 'NotIn', values };
    }
  }
  throw new SelectorError(
    `unable to parse requirement: ${JSON.stringify(part)} in the label selector ${JSON.stringify(whole)}`,
  );
}

/** Throws an error with the text of the API server. */
function requireInteger(value: string): void {
  if (integerOf(value) !== undefined) return;
  throw new SelectorError(
    `unable to parse requirement: values[0]: Invalid value: ${JSON.stringify(value)}: for 'Gt', 'Lt' operators, the value must be an integer`,
  );
}

function integerOf(value: string | undefined): bigint | undefined {
  if (value === undefined || !/^\d+$/.test(value)) return undefined;
  const integer = BigInt(value);
  return integer > maxInteger ? undefined : integer;
}

/**
 * Returns the requirements of a workload's selector. A selector without requirements selects
 * everything.
 */
export function labelRequirements(selector: LabelSelector): LabelRequirement[] {
  const equal = Object.entries(selector.matchLabels ?? {}).map(([key, value]): LabelRequirement => ({
    key,
    operator: 'In',
    values: [value],
  }));
  const expressions = (selector.matchExpressions ?? []).map(({ key, operator, values = [] }): LabelRequirement => {
    if (operator === 'In' || operator === 'NotIn' || operator === 'Exists' || operator === 'DoesNotExist') {
      return { key, operator, values };
    }
    throw new SelectorError(`${JSON.stringify(operator)} is not a valid label selector operator`);
  });
  return [...equal, ...expressions];
}

/** Whether labels meet all requirements. As in Kubernetes, `NotIn` is true for an absent label. */
export function matchesLabels(requirements: readonly LabelRequirement[], labels: Record<string, string> = {}): boolean {
  return requirements.every(({ key, operator, values }) => {
    const found = Object.hasOwn(labels, key) ? labels[key] : undefined;
    switch (operator) {
      case 'In':
        return found !== undefined && values.includes(found);
      case 'NotIn':
        return found === undefined || !values.includes(found);
      case 'Exists':
        return found !== undefined;
      case 'DoesNotExist':
        return found === undefined;
      case 'Gt':
      case 'Lt':
        return isCompared(operator, integerOf(found), integerOf(values[0]));
    }
  });
}

/** Whether a comparison holds. As in Kubernetes, it does not for other labels than integers. */
function isCompared(operator: 'Gt' | 'Lt', found: bigint | undefined, limit: bigint | undefined): boolean {
  if (found === undefined || limit === undefined) return false;
  return operator === 'Gt' ? found > limit : found < limit;
}
