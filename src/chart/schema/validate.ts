import { LimitError } from '../../go/limit-error.ts';
import { quote } from '../../go/strconv.ts';
import { isMap } from '../../go/types.ts';
import type { Value } from '../../go/value.ts';
import type { Check } from './check.ts';
import type { Draft } from './draft.ts';
import type { Failure } from './failure.ts';
import { display, displayCount, displayNumber, quoteText } from './failure.ts';
import { equalJson, isMultiple, numberOf, typeOf } from './json-value.ts';
import { encodePointer, pointerOf } from './pointer.ts';
import type { Schema } from './schema.ts';
import type { Resource } from './schema-document.ts';
import { Unevaluated } from './unevaluated.ts';
import { checkArray } from './validate-array.ts';
import { checkObject } from './validate-object.ts';

/** Schemas being applied, from the innermost outwards. */
interface Scope {
  readonly schema: Schema;
  /** Equal for scopes of the same value. */
  readonly value: number;
  /** Keyword of the reference that led here; empty if the schema is part of the enclosing one. */
  readonly keyword: string;
  readonly parent: Scope | undefined;
  readonly work: Work;
}

/**
 * Location of a value: the location of its parent and the last step. Built only if a failure needs
 * it.
 */
interface ValuePath {
  readonly outer: ValuePath | undefined;
  readonly step: string | number;
}

/**
 * Metaschemas, used when the value is itself a schema: its parts are validated against the draft of
 * their resource.
 */
export interface SchemaDialects {
  /** Metaschema of the current draft. */
  readonly metaschema: Schema;
  /** Resources by pointer. */
  readonly resources: ReadonlyMap<string, Resource>;
  metaschemaOf(draft: Draft): Schema;
}

/** Remaining comparisons: schemas that reference each other can require unbounded work. */
interface Work {
  left: number;
}

const maxComparisons = 1_000_000;

class SchemaCheck implements Check {
  readonly schema: Schema;
  readonly value: Value;
  readonly #path: ValuePath | undefined;
  readonly failures: Failure[] = [];
  readonly unevaluated: Unevaluated;
  readonly quick: boolean;
  readonly #scope: Scope;
  readonly #dialects: SchemaDialects | undefined;

  constructor(
    schema: Schema,
    value: Value,
    path: ValuePath | undefined,
    scope: Scope,
    unevaluated: Unevaluated,
    quick: boolean,
    outer: SchemaDialects | undefined,
  ) {
    const dialects = outer?.metaschema === schema ? dialectsAt(path, outer) : outer;
    this.schema = outer?.metaschema === schema ? (dialects?.metaschema ?? schema) : schema;
    this.#dialects = dialects;
    this.value = value;
    this.#path = path;
    this.unevaluated = unevaluated;
    this.quick = quick;
    this.#scope = scope;
  }

  fail(text: string, causes: readonly Failure[] = []): void {
    this.failures.push(this.#failure(text, 'keyword', causes));
  }

  add(failure: Failure | undefined): void {
    if (failure !== undefined) this.failures.push(failure);
  }

  part(schema: Schema, value: Value, step: string | number): Failure | undefined {
    const scope = { schema, value: this.#scope.value + 1, keyword: '', parent: this.#scope, work: this.#scope.work };
    return new SchemaCheck(
      schema,
      value,
      { outer: this.#path, step },
      scope,
      Unevaluated.of(value, schema, false),
      this.quick,
      this.#dialects,
    ).run();
  }

  same(schema: Schema, quick = false): Failure | undefined {
    return this.#same(schema, quick, '');
  }

  #same(schema: Schema, quick: boolean, keyword: string): Failure | undefined {
    const scope = { schema, value: this.#scope.value, keyword, parent: this.#scope, work: this.#scope.work };
    const unevaluated = Unevaluated.of(this.value, schema, !this.unevaluated.isEmpty);
    const check = new SchemaCheck(
      schema,
      this.value,
      this.#path,
      scope,
      unevaluated,
      this.quick || quick,
      this.#dialects,
    );
    const failure = check.run();
    if (failure === undefined) this.unevaluated.keepOnly(unevaluated);
    return failure;
  }

  alone(schema: Schema, value: Value): Failure | undefined {
    return start(schema, value, this.#scope.work);
  }

  #spend(amount: number): void {
    this.#scope.work.left -= amount;
    if (this.#scope.work.left < 0) throw new LimitError(`validation needs more than ${maxComparisons} comparisons`);
  }

  /** Applies the schema. Returns undefined if the value is valid. */
  run(): Failure | undefined {
    const { schema, value } = this;
    this.#spend(1);
    if (schema.bool !== undefined) return schema.bool ? undefined : this.#failure('false schema');
    const cycle = this.#findCycle();
    if (cycle !== undefined) {
      const locations = `both ${locationOf(this.#scope)} and ${locationOf(cycle)}`;
      return this.#failure(`${locations} resolve to ${quote(escapedLocation(schema))} causing reference cycle`);
    }
    const wrong = this.#checkBasics();
    if (wrong !== undefined) return this.#failure(wrong);
    if (schema.ref !== undefined) {
      const failure = this.#follow(schema.ref, '$ref');
      if (schema.draft < 2019) return failure;
      this.add(failure);
    }
    if (isMap(value)) checkObject(this, value);
    else if (Array.isArray(value)) checkArray(this, value as readonly Value[]);
    else if (typeof value === 'string') this.#checkString(value);
    else if (typeOf(value) === 'number') this.#checkNumber(numberOf(value));
    if (this.failures.length === 0 || !this.quick) this.#checkCombinations();
    const [only] = this.failures;
    return this.failures.length < 2 ? only : this.#failure('validation failed', 'group', this.failures);
  }

  #failure(text: string, role: Failure['role'] = 'keyword', causes: readonly Failure[] = []): Failure {
    return { path: pathOf(this.#path), text, role, causes };
  }

  /** Returns the scope that already applies the same schema to the same value, if any. */
  #findCycle(): Scope | undefined {
    for (let scope = this.#scope.parent; scope?.value === this.#scope.value; scope = scope.parent) {
      if (scope.schema === this.schema) return scope;
    }
    return undefined;
  }

  /** Checks type, const, enum and format. Returns the first failure. */
  #checkBasics(): string | undefined {
    const { types, constant, choices, format } = this.schema;
    const { value } = this;
    const type = typeOf(value);
    if (choices !== undefined) this.#spend(choices.length);
    if (types !== undefined) {
      const fits = types.some((want) => want === type || (want === 'integer' && Number.isInteger(numberOf(value))));
      if (!fits) return `got ${type ?? typeof value}, want ${types.join(' or ')}`;
    }
    if (constant !== undefined && !equalJson(value, constant)) {
      return isStructured(constant) ? "'const' failed" : `value must be ${display(constant)}`;
    }
    if (choices !== undefined && !choices.some((choice) => equalJson(value, choice))) {
      if (choices.some(isStructured)) return "'enum' failed";
      return choices.length === 1
        ? `value must be ${display(choices[0] ?? null)}`
        : `value must be one of ${choices.map(display).join(', ')}`;
    }
    const wrong = typeof value === 'string' ? format?.check(value) : undefined;
    return wrong === undefined ? undefined : `${display(value)} is not valid ${format?.name ?? ''}: ${wrong}`;
  }

  #follow(target: Schema, keyword: string): Failure | undefined {
    const failure = this.#same(target, false, keyword);
    if (failure === undefined) return undefined;
    return this.#failure('validation failed', 'reference', failure.role === 'group' ? failure.causes : [failure]);
  }

  #checkString(text: string): void {
    const { minLength, maxLength, pattern } = this.schema;
    if (minLength !== undefined || maxLength !== undefined) {
      const length = Array.from(text).length;
      if (minLength !== undefined && length < minLength)
        this.fail(`minLength: got ${displayCount(length)}, want ${displayCount(minLength)}`);
      if (maxLength !== undefined && length > maxLength)
        this.fail(`maxLength: got ${displayCount(length)}, want ${displayCount(maxLength)}`);
    }
    if (pattern !== undefined && !pattern.expression.matcher(text).find()) {
      this.fail(`${quoteText(text)} does not match pattern ${quoteText(pattern.text)}`);
    }
  }

  #checkNumber(value: number): void {
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = this.schema;
    const expect = (fits: boolean, keyword: string, want: number): void => {
      if (!fits) this.fail(`${keyword}: got ${displayNumber(value)}, want ${displayNumber(want)}`);
    };
    if (minimum !== undefined) expect(value >= minimum, 'minimum', minimum);
    if (maximum !== undefined) expect(value <= maximum, 'maximum', maximum);
    if (exclusiveMinimum !== undefined) expect(value > exclusiveMinimum, 'exclusiveMinimum', exclusiveMinimum);
    if (exclusiveMaximum !== undefined) expect(value < exclusiveMaximum, 'exclusiveMaximum', exclusiveMaximum);
    if (multipleOf !== undefined) expect(isMultiple(value, multipleOf), 'multipleOf', multipleOf);
  }

  #checkCombinations(): void {
    const { schema } = this;
    if (schema.draft >= 2019) this.#checkDynamicReferences();
    if (schema.not !== undefined && this.same(schema.not, true) === undefined) this.fail("'not' failed");
    if (schema.allOf !== undefined) this.#checkAllOf(schema.allOf);
    if (schema.anyOf !== undefined) this.#checkAnyOf(schema.anyOf);
    if (schema.oneOf !== undefined) this.#checkOneOf(schema.oneOf);
    if (schema.if !== undefined) {
      const branch = this.same(schema.if, true) === undefined ? schema.then : schema.else;
      if (branch !== undefined) this.add(this.same(branch));
    }
    if (schema.draft >= 2019) this.#checkUnevaluated();
  }

  #checkAllOf(schemas: readonly Schema[]): void {
    const failures = schemas.flatMap((schema) => this.same(schema) ?? []);
    if (failures.length > 0) this.fail("'allOf' failed", failures);
  }

  #checkAnyOf(schemas: readonly Schema[]): void {
    const failures: Failure[] = [];
    let matched = false;
    for (const schema of schemas) {
      const failure = this.same(schema);
      if (failure !== undefined) failures.push(failure);
      else {
        matched = true;
        // the others matter only for what they evaluate
        if (this.unevaluated.isEmpty) return;
      }
    }
    if (!matched) this.fail("'anyOf' failed", failures);
  }

  #checkOneOf(schemas: readonly Schema[]): void {
    const failures: Failure[] = [];
    let matched: number | undefined;
    for (const [i, schema] of schemas.entries()) {
      const failure = this.same(schema, matched !== undefined);
      if (failure !== undefined) failures.push(failure);
      else if (matched === undefined) matched = i;
      else {
        this.fail(`'oneOf' failed, subschemas ${matched}, ${i} matched`);
        return;
      }
    }
    if (matched === undefined) this.fail("'oneOf' failed, none matched", failures);
  }

  #checkDynamicReferences(): void {
    const { recursiveRef, dynamicRef } = this.schema;
    if (recursiveRef !== undefined) {
      const target =
        recursiveRef.recursiveAnchor === true
          ? this.#outermost((schema) => (schema.resource?.recursiveAnchor === true ? schema : undefined))
          : undefined;
      this.add(this.#follow(target ?? recursiveRef, '$recursiveRef'));
    }
    if (dynamicRef !== undefined) {
      const { schema, anchor } = dynamicRef;
      const isDynamic = anchor !== '' && schema.dynamicAnchor === anchor;
      const target = isDynamic ? this.#outermost((outer) => outer.resource?.dynamicAnchors?.get(anchor)) : undefined;
      this.add(this.#follow(target ?? schema, '$dynamicRef'));
    }
  }

  #outermost(find: (schema: Schema) => Schema | undefined): Schema | undefined {
    let found: Schema | undefined;
    for (let scope: Scope | undefined = this.#scope; scope !== undefined; scope = scope.parent)
      found = find(scope.schema) ?? found;
    return found;
  }

  #checkUnevaluated(): void {
    const { unevaluatedProperties, unevaluatedItems } = this.schema;
    const { value, unevaluated } = this;
    if (isMap(value) && unevaluatedProperties !== undefined) {
      for (const name of unevaluated.properties ?? [])
        this.add(this.part(unevaluatedProperties, value.get(name) ?? null, name));
      unevaluated.properties?.clear();
    }
    if (Array.isArray(value) && unevaluatedItems !== undefined) {
      const items = value as readonly Value[];
      for (const i of unevaluated.items ?? []) this.add(this.part(unevaluatedItems, items[i] ?? null, i));
      unevaluated.items?.clear();
    }
  }
}

function escapedLocation({ location }: Schema): string {
  const pointer = location.indexOf('#') + 1;
  return location.slice(0, pointer) + encodePointer(location.slice(pointer));
}

/** Returns the keyword location of a scope. */
function locationOf(scope: Scope): string {
  let location = '';
  for (let inner = scope; inner.parent !== undefined; inner = inner.parent) {
    const step =
      inner.keyword === '' ? inner.schema.location.slice(inner.parent.schema.location.length) : `/${inner.keyword}`;
    location = step + location;
  }
  return encodePointer(location);
}

function isStructured(value: Value): boolean {
  return Array.isArray(value) || isMap(value);
}

function pathOf(value: ValuePath | undefined): string[] {
  const path: string[] = [];
  for (let at = value; at !== undefined; at = at.outer) path.unshift(String(at.step));
  return path;
}

function dialectsAt(path: ValuePath | undefined, dialects: SchemaDialects): SchemaDialects {
  const resource = dialects.resources.get(pointerOf(pathOf(path)));
  return resource === undefined ? dialects : { ...dialects, metaschema: dialects.metaschemaOf(resource.draft) };
}

/**
 * Returns why a value does not match a schema, or undefined if it does. Pass `dialects` if the
 * schema is a metaschema and the value a schema.
 */
export function validate(schema: Schema, value: Value, dialects?: SchemaDialects): Failure | undefined {
  return start(schema, value, { left: maxComparisons }, dialects);
}

function start(schema: Schema, value: Value, work: Work, dialects?: SchemaDialects): Failure | undefined {
  return new SchemaCheck(
    schema,
    value,
    undefined,
    { schema, value: 0, keyword: '', parent: undefined, work },
    Unevaluated.of(value, schema, false),
    false,
    dialects,
  ).run();
}
