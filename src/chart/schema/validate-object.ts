import type { Value } from '../../go/value.ts';
import type { Check } from './check.ts';
import { displayCount, quoteText, quoteTexts } from './failure.ts';
import type { Schema } from './schema.ts';

/** Applies the keywords for objects. */
export function checkObject(check: Check, object: ReadonlyMap<string, Value>): void {
  const { schema } = check;
  checkSize(check, object.size);
  const missing = missingOf(object, schema.required ?? []);
  if (missing.length > 0) {
    check.fail(
      missing.length === 1 ? `missing property ${quoteTexts(missing)}` : `missing properties ${quoteTexts(missing)}`,
    );
  }
  if (check.quick && check.failures.length > 0) return;
  for (const [name, dependency] of schema.dependencies ?? []) {
    if (!object.has(name)) continue;
    if (isNames(dependency)) requireWith(check, object, name, dependency);
    else check.add(check.same(dependency));
  }
  checkProperties(check, object);
  if (schema.propertyNames !== undefined) checkNames(check, object);
  for (const [name, below] of schema.dependentSchemas ?? []) {
    if (object.has(name)) check.add(check.same(below));
  }
  for (const [name, required] of schema.dependentRequired ?? []) {
    if (object.has(name)) requireWith(check, object, name, required);
  }
}

function checkSize(check: Check, size: number): void {
  const { minProperties, maxProperties } = check.schema;
  if (minProperties !== undefined && size < minProperties) {
    check.fail(`minProperties: got ${displayCount(size)}, want ${displayCount(minProperties)}`);
  }
  if (maxProperties !== undefined && size > maxProperties) {
    check.fail(`maxProperties: got ${displayCount(size)}, want ${displayCount(maxProperties)}`);
  }
}

function isNames(dependency: readonly string[] | Schema): dependency is readonly string[] {
  return Array.isArray(dependency);
}

function missingOf(object: ReadonlyMap<string, Value>, names: readonly string[]): string[] {
  return names.filter((name) => !object.has(name));
}

function requireWith(
  check: Check,
  object: ReadonlyMap<string, Value>,
  name: string,
  required: readonly string[],
): void {
  const missing = missingOf(object, required);
  if (missing.length > 0) check.fail(`properties ${quoteTexts(missing)} required, if ${quoteText(name)} exists`);
}

function checkProperties(check: Check, object: ReadonlyMap<string, Value>): void {
  const { properties, patternProperties = [], additionalProperties } = check.schema;
  const additional: string[] = [];
  for (const [name, value] of object) {
    if (check.quick && check.failures.length > 0) return;
    const own = properties?.get(name);
    let isEvaluated = own !== undefined;
    if (own !== undefined) check.add(check.part(own, value, name));
    for (const [pattern, below] of patternProperties) {
      if (!pattern.matcher(name).find()) continue;
      isEvaluated = true;
      check.add(check.part(below, value, name));
    }
    if (!isEvaluated) {
      if (additionalProperties === undefined) continue;
      if (additionalProperties === false) additional.push(name);
      else if (additionalProperties !== true) check.add(check.part(additionalProperties, value, name));
    }
    check.unevaluated.properties?.delete(name);
  }
  if (additional.length > 0) check.fail(`additional properties ${quoteTexts(additional)} not allowed`);
}

function checkNames(check: Check, object: ReadonlyMap<string, Value>): void {
  const { propertyNames } = check.schema;
  if (propertyNames === undefined) return;
  for (const name of object.keys()) {
    const failure = check.alone(propertyNames, name);
    if (failure === undefined) continue;
    const causes = failure.role === 'group' ? failure.causes : [failure];
    check.failures.push({ path: [], text: `invalid propertyName ${quoteText(name)}`, role: 'keyword', causes });
  }
}
