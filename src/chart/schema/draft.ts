/** The drafts of JSON Schema that Helm's validator knows. */
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

/** What a schema without `$schema` is. */
export const defaultDraft = latest;

/** The draft that a `$schema` names, if it is one of the known. */
export function draftOf(url: string): Draft | undefined {
  const [address = ''] = url.split('#', 1);
  const path = address.replace(/^https?:\/\//, '');
  return urls.find(([known]) => known === path)?.[1];
}

/** The address of a draft's own schema, as messages name it. */
export function draftUrl(draft: Draft): string {
  return draft >= 2019 ? `https://${pathOf(draft)}` : `http://${pathOf(draft)}`;
}

function pathOf(draft: Draft): string {
  return urls.findLast(([, known]) => known === draft)?.[0] ?? '';
}

/** Where a keyword holds schemas: itself, in a list, or in a map. */
type Place = 'schema' | 'list' | 'map';

const sinceDraft4: readonly (readonly [keyword: string, place: Place])[] = [
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

function placesOf(draft: Draft): typeof sinceDraft4 {
  return [
    ...sinceDraft4,
    ...(draft >= 6 ? sinceDraft6 : []),
    ...(draft >= 7 ? sinceDraft7 : []),
    ...(draft >= 2019 ? sinceDraft2019 : []),
    ...(draft >= 2020 ? sinceDraft2020 : []),
  ];
}

/** The keywords of each draft that hold schemas. */
export const schemaPlaces: Readonly<Record<Draft, typeof sinceDraft4>> = {
  4: placesOf(4),
  6: placesOf(6),
  7: placesOf(7),
  2019: placesOf(2019),
  2020: placesOf(2020),
};
