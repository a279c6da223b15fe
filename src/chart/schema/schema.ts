import type { RE2JS } from 're2js';
import type { Value } from '../../go/value.ts';
import type { Draft } from './draft.ts';
import type { Format } from './formats.ts';

/** JSON Schema's type names, in the order in which messages list them. */
export const jsonTypes = ['null', 'boolean', 'number', 'integer', 'string', 'array', 'object'] as const;
export type JsonType = (typeof jsonTypes)[number];

/**
 * A compiled schema with its references resolved, and with only the keywords that its draft knows.
 */
export interface Schema {
  /** `file:///values.schema.json#/properties/a`, unescaped. */
  readonly location: string;
  draft: Draft;
  /** The enclosing schema that has its own URL. */
  resource?: Schema;
  /** `true` and `false` are schemas too. */
  bool?: boolean;
  dynamicAnchors?: Map<string, Schema>;

  ref?: Schema;
  recursiveRef?: Schema;
  recursiveAnchor?: boolean;
  dynamicRef?: { schema: Schema; anchor: string };
  dynamicAnchor?: string;

  types?: readonly JsonType[];
  constant?: Value;
  choices?: readonly Value[];
  format?: Format;

  allOf?: readonly Schema[];
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  not?: Schema;
  if?: Schema;
  then?: Schema;
  else?: Schema;

  properties?: ReadonlyMap<string, Schema>;
  patternProperties?: readonly (readonly [pattern: RE2JS, schema: Schema])[];
  additionalProperties?: boolean | Schema;
  propertyNames?: Schema;
  minProperties?: number;
  maxProperties?: number;
  required?: readonly string[];
  dependencies?: ReadonlyMap<string, readonly string[] | Schema>;
  dependentRequired?: ReadonlyMap<string, readonly string[]>;
  dependentSchemas?: ReadonlyMap<string, Schema>;
  unevaluatedProperties?: Schema;

  /** One schema for all items; before draft 2020-12, possibly one for each. */
  items?: Schema | readonly Schema[];
  additionalItems?: boolean | Schema;
  prefixItems?: readonly Schema[];
  contains?: Schema;
  minContains?: number;
  maxContains?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  unevaluatedItems?: Schema;

  minLength?: number;
  maxLength?: number;
  pattern?: { text: string; expression: RE2JS };

  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;
}
