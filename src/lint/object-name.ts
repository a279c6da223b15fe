import { quote } from '../go/strconv.ts';
import { byteLength } from '../go/text.ts';
import type { ObjectHead } from './object-head.ts';

/**
 * Returns the problems with a name, in Kubernetes' words (k8s.io/apimachinery/pkg/api/validation).
 */
type NameRule = (name: string) => string[];

const subdomain = matching(
  253,
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is",
  String.raw`[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*`,
);
const label = matching(
  63,
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is",
  '[a-z0-9]([-a-z0-9]*[a-z0-9])?',
);
const serviceLabel = matching(
  63,
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is",
  '[a-z]([-a-z0-9]*[a-z0-9])?',
);

function matching(longest: number, text: string, pattern: string): NameRule {
  const expression = new RegExp(`^${pattern}$`);
  return (name) => [
    ...(byteLength(name) > longest ? [`must be no more than ${longest} characters`] : []),
    ...(expression.test(name) ? [] : [`${text} '${pattern}')`]),
  ];
}

/** Returns the problems of a name that is a valid subdomain but not a label because of its dots. */
function dotted(name: string): string[] {
  return [...label(name).slice(0, -1), 'must not contain dots'];
}

function pathSegment(name: string): string[] {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  return ['/', '%'].filter((part) => name.includes(part)).map((part) => `may not contain '${part}'`);
}

const rules = new Map(
  Object.entries<NameRule>({
    service: serviceLabel,
    namespace: (name) => (subdomain(name).length === 0 && name.includes('.') ? dotted(name) : label(name)),
    certificatesigningrequest: () => [],
    role: pathSegment,
    clusterrole: pathSegment,
    rolebinding: pathSegment,
    clusterrolebinding: pathSegment,
  }),
);

/**
 * Returns the problem with the name of an object, by the rule of its kind; undefined if it is
 * valid.
 */
export function objectNameProblem({ kind, name }: ObjectHead): string | undefined {
  const rule = rules.get(kind.toLowerCase()) ?? subdomain;
  const problems = rule(name).map((text) => `metadata.name: Invalid value: ${quote(name)}: ${text}`);
  if (problems.length === 0) return undefined;
  const all = problems.length === 1 ? problems.join('') : `[${problems.join(', ')}]`;
  return `object name does not conform to Kubernetes naming requirements: ${quote(name)}: ${all}`;
}
