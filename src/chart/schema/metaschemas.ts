import { decodeJson } from '../../go/json-decode.ts';
import type { Value } from '../../go/value.ts';
import type { Draft } from './draft.ts';
import { defaultDraft, draftUrl } from './draft.ts';

type Json = boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/**
 * Returns the metaschema, or the part of one, that json-schema.org publishes at a URL; undefined if
 * Helm's validator does not include it. Annotations such as titles, descriptions and defaults are
 * left out (https://json-schema.org/specification-links).
 */
export function metaschemaAt(url: string): Value | undefined {
  const path = /^https?:\/\/json-schema\.org\/([^#]*)$/.exec(url)?.[1];
  const source = path === 'schema' ? published.get(pathOf(defaultDraft)) : published.get(path ?? '');
  return source === undefined ? undefined : decodeJson(JSON.stringify(source())).value;
}

const text = { type: 'string' };
const boolean = { type: 'boolean' };
const number = { type: 'number' };
const list = { type: 'array', items: true };
const texts = { type: 'array', items: text, uniqueItems: true };
const whole = { type: 'integer', minimum: 0 };
const regex = { type: 'string', format: 'regex' };
const uri = { type: 'string', format: 'uri' };
const reference = { type: 'string', format: 'uri-reference' };
const typeNames = { enum: ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'] };
const schemaTypes = ['object', 'boolean'];

function mapOf(value: Json) {
  return { type: 'object', additionalProperties: value };
}

function listOf(schema: Json) {
  return { type: 'array', minItems: 1, items: schema };
}

function choiceOf(...schemas: Json[]) {
  return { anyOf: schemas };
}

/** Assigns the same value to each keyword. */
function each(keywords: string, value: Json): Record<string, Json> {
  return Object.fromEntries(keywords.split(' ').map((keyword) => [keyword, value]));
}

/** Returns a function that refers to a definition below `place`. */
function definedIn(place: string) {
  return (name: string) => ({ $ref: `#/${place}/${name}` });
}

function typeKeyword(names: Json): Json {
  return choiceOf(names, { ...listOf(names), uniqueItems: true });
}

/** Metaschemas that are a single document. */
function singleDocument(draft: 4 | 6 | 7): Json {
  const self = { $ref: '#' };
  const defined = definedIn('definitions');
  const count = draft === 4 ? 'positiveInteger' : 'nonNegativeInteger';
  return {
    $schema: `${draftUrl(draft)}#`,
    ...(draft > 4 && { $id: `${draftUrl(draft)}#` }),
    type: draft === 4 ? 'object' : schemaTypes,
    definitions: {
      schemaArray: listOf(self),
      [count]: whole,
      [`${count}Default0`]: { allOf: [defined(count), {}] },
      simpleTypes: typeNames,
      stringArray: draft === 4 ? { ...texts, minItems: 1 } : texts,
    },
    properties: {
      $schema: uri,
      ...(draft === 4 ? { id: text, $ref: text } : each('$id $ref', reference)),
      ...each('title description format', text),
      ...each('maximum minimum', number),
      ...each('exclusiveMaximum exclusiveMinimum', draft === 4 ? boolean : number),
      multipleOf: draft === 4 ? { ...number, minimum: 0, exclusiveMinimum: true } : { ...number, exclusiveMinimum: 0 },
      ...each('maxLength maxItems maxProperties', defined(count)),
      ...each('minLength minItems minProperties', defined(`${count}Default0`)),
      pattern: regex,
      uniqueItems: boolean,
      required: defined('stringArray'),
      enum: { ...list, minItems: 1, uniqueItems: true },
      type: typeKeyword(defined('simpleTypes')),
      ...each('additionalItems additionalProperties', draft === 4 ? choiceOf(boolean, self) : self),
      items: choiceOf(self, defined('schemaArray')),
      ...each('definitions properties', mapOf(self)),
      patternProperties: { ...mapOf(self), ...(draft >= 7 && { propertyNames: { format: 'regex' } }) },
      dependencies: mapOf(choiceOf(self, defined('stringArray'))),
      ...each('allOf anyOf oneOf', defined('schemaArray')),
      not: self,
      ...(draft >= 6 && each('contains propertyNames', self)),
      ...(draft >= 7 && {
        ...each('if then else', self),
        ...each('$comment contentMediaType contentEncoding', text),
        ...each('readOnly writeOnly', boolean),
        examples: list,
      }),
    },
    ...(draft === 4 && { dependencies: { exclusiveMaximum: ['maximum'], exclusiveMinimum: ['minimum'] } }),
  };
}

/** A vocabulary of draft 2019-09 or 2020-12. */
interface Vocabulary {
  properties: Record<string, Json>;
  $defs?: Record<string, Json>;
}

const core2019: Vocabulary = {
  properties: {
    $id: { ...reference, pattern: '^[^#]*#?$' },
    $schema: uri,
    $anchor: { ...text, pattern: '^[A-Za-z][-A-Za-z0-9.:_]*$' },
    ...each('$ref $recursiveRef', reference),
    $recursiveAnchor: boolean,
    $vocabulary: { ...mapOf(boolean), propertyNames: uri },
    $comment: text,
    $defs: mapOf({ $recursiveRef: '#' }),
  },
};

const defs = definedIn('$defs');

const core2020: Vocabulary = {
  properties: {
    $id: { ...defs('uriReferenceString'), pattern: '^[^#]*#?$' },
    $schema: defs('uriString'),
    ...each('$anchor $dynamicAnchor', defs('anchorString')),
    ...each('$ref $dynamicRef', defs('uriReferenceString')),
    $vocabulary: { ...mapOf(boolean), propertyNames: defs('uriString') },
    $comment: text,
    $defs: mapOf({ $dynamicRef: '#meta' }),
  },
  $defs: {
    anchorString: { ...text, pattern: '^[A-Za-z_][-A-Za-z0-9._]*$' },
    uriString: uri,
    uriReferenceString: reference,
  },
};

function applicator(draft: 2019 | 2020, self: Json): Vocabulary {
  const keywords = 'additionalProperties propertyNames contains if then else not';
  return {
    properties: {
      ...each(draft === 2019 ? `${keywords} additionalItems unevaluatedItems unevaluatedProperties` : keywords, self),
      items: draft === 2019 ? choiceOf(self, defs('schemaArray')) : self,
      ...(draft === 2020 && { prefixItems: defs('schemaArray') }),
      ...each('properties dependentSchemas', mapOf(self)),
      patternProperties: { ...mapOf(self), propertyNames: { format: 'regex' } },
      ...each('allOf anyOf oneOf', defs('schemaArray')),
    },
    $defs: { schemaArray: listOf(self) },
  };
}

const validation: Vocabulary = {
  properties: {
    type: typeKeyword(defs('simpleTypes')),
    const: true,
    enum: list,
    multipleOf: { ...number, exclusiveMinimum: 0 },
    ...each('maximum minimum exclusiveMaximum exclusiveMinimum', number),
    ...each('maxLength maxItems maxProperties minContains maxContains', defs('nonNegativeInteger')),
    ...each('minLength minItems minProperties', defs('nonNegativeIntegerDefault0')),
    pattern: regex,
    uniqueItems: boolean,
    required: defs('stringArray'),
    dependentRequired: mapOf(defs('stringArray')),
  },
  $defs: {
    nonNegativeInteger: whole,
    nonNegativeIntegerDefault0: defs('nonNegativeInteger'),
    simpleTypes: typeNames,
    stringArray: texts,
  },
};

const annotations: Vocabulary = {
  properties: {
    ...each('title description', text),
    ...each('deprecated readOnly writeOnly', boolean),
    examples: list,
  },
};

const format: Vocabulary = { properties: { format: text } };

function content(self: Json): Vocabulary {
  return { properties: { ...each('contentEncoding contentMediaType', text), contentSchema: self } };
}

/** Returns the vocabularies of a draft by name, in the order in which its metaschema lists them. */
function vocabulariesOf(draft: 2019 | 2020, self: Json): Record<string, Vocabulary> {
  const [core, unevaluated] =
    draft === 2019 ? [core2019] : [core2020, each('unevaluatedItems unevaluatedProperties', self)];
  return {
    core,
    applicator: applicator(draft, self),
    ...(unevaluated && { unevaluated: { properties: unevaluated } }),
    validation,
    'meta-data': annotations,
    [draft === 2019 ? 'format' : 'format-annotation']: format,
    content: content(self),
  };
}

/** Returns the deprecated keywords that a draft's metaschema adds to its vocabularies. */
function keptKeywords(draft: 2019 | 2020, self: Json): Record<string, Json> {
  return {
    definitions: mapOf(self),
    dependencies: mapOf(choiceOf(self, { $ref: 'meta/validation#/$defs/stringArray' })),
    ...(draft === 2020 && {
      $recursiveAnchor: { $ref: 'meta/core#/$defs/anchorString' },
      $recursiveRef: { $ref: 'meta/core#/$defs/uriReferenceString' },
    }),
  };
}

/** Returns the documents of a draft: its metaschema and one for each vocabulary. */
function severalDocuments(draft: 2019 | 2020): [path: string, source: () => Json][] {
  const self: Json = draft === 2019 ? { $recursiveRef: '#' } : { $dynamicRef: '#meta' };
  const folder = draftUrl(draft).replace(/schema$/, '');
  const vocabularies = Object.entries(vocabulariesOf(draft, self));
  const document = (name: string, rest: Record<string, Json>): Json => ({
    $schema: draftUrl(draft),
    $id: folder + name,
    ...(draft === 2019 ? { $recursiveAnchor: true } : { $dynamicAnchor: 'meta' }),
    type: schemaTypes,
    ...rest,
  });
  const allOf = vocabularies.map(([name]) => ({ $ref: `meta/${name}` }));
  return [
    [pathOf(draft), () => document('schema', { allOf, properties: keptKeywords(draft, self) })],
    ...vocabularies.map(([name, vocabulary]): [string, () => Json] => [
      pathOf(draft).replace(/schema$/, `meta/${name}`),
      () => document(`meta/${name}`, { ...vocabulary }),
    ]),
  ];
}

function pathOf(draft: Draft): string {
  return draftUrl(draft).replace(/^https?:\/\/json-schema\.org\//, '');
}

/** By path on json-schema.org. */
const published: ReadonlyMap<string, () => Json> = new Map<string, () => Json>([
  ...([4, 6, 7] as const).map((draft): [string, () => Json] => [pathOf(draft), () => singleDocument(draft)]),
  ...severalDocuments(2019),
  ...severalDocuments(2020),
]);
