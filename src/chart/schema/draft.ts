/** Drafts of JSON Schema that Helm's validator supports. */
export type Draft = 4 | 6 | 7 | 2019 | 2020;

const latest: Draft = 2020;

const urls: readonly (readonly [path: string, draft: Draft])[] = [
  ['json-schema.org/schema', latest],
  ['json-schema.org/draft/2020-12/schema', 2020],
  ['json-schema.org/draft/2019-09/schema', 2019],
  ['json-schema.org/draft-07/schema', 7],
  ['json-schema.org/draft-06/schema', 6],
  ['json-schema.org/draft-04/schema', 4],
];

/** Draft of a schema without `$schema`. */
export const defaultDraft = latest;

/** Returns the draft named by a `$schema`, if it is known. */
export function draftOf(url: string): Draft | undefined {
  const [address = ''] = url.split('#', 1);
  const path = address.replace(/^https?:\/\//, '');
  return urls.find(([known]) => known === path)?.[1];
}

/** Returns the URL of a draft's own schema, as messages show it. */
export function draftUrl(draft: Draft): string {
  return draft >= 2019 ? `https://${pathOf(draft)}` : `http://${pathOf(draft)}`;
}

function pathOf(draft: Draft): string {
  return urls.findLast(([, known]) => known === draft)?.[0] ?? '';
}

/** Shape of a keyword's subschemas: one schema, a list of them, or a map of them. */
type SubschemaShape = 'schema' | 'list' | 'map';

const sinceDraft4: readonly (readonly [keyword: string, shape: SubschemaShape])[] = [
  ['definitions', 'map'],
  ['not', 'schema'],
  ['allOf', 'list'],
  ['anyOf', 'list'],
  ['oneOf', 'list'],
  ['properties', 'map'],
  ['additionalProperties', 'schema'],
  ['patternProperties', 'map'],
  ['items', 'schema'],
  ['items', 'list'],
  ['additionalItems', 'schema'],
  ['dependencies', 'map'],
];
const sinceDraft6: typeof sinceDraft4 = [
  ['propertyNames', 'schema'],
  ['contains', 'schema'],
];
const sinceDraft7: typeof sinceDraft4 = [
  ['if', 'schema'],
  ['then', 'schema'],
  ['else', 'schema'],
];
const sinceDraft2019: typeof sinceDraft4 = [
  ['$defs', 'map'],
  ['dependentSchemas', 'map'],
  ['unevaluatedProperties', 'schema'],
  ['unevaluatedItems', 'schema'],
  ['contentSchema', 'schema'],
];

const sinceDraft2020: typeof sinceDraft4 = [['prefixItems', 'list']];

function keywordsOf(draft: Draft): typeof sinceDraft4 {
  return [
    ...sinceDraft4,
    ...(draft >= 6 ? sinceDraft6 : []),
    ...(draft >= 7 ? sinceDraft7 : []),
    ...(draft >= 2019 ? sinceDraft2019 : []),
    ...(draft >= 2020 ? sinceDraft2020 : []),
  ];
}

/** Keywords that contain subschemas, by draft. */
export const subschemaKeywords: Readonly<Record<Draft, typeof sinceDraft4>> = {
  4: keywordsOf(4),
  6: keywordsOf(6),
  7: keywordsOf(7),
  2019: keywordsOf(2019),
  2020: keywordsOf(2020),
};
