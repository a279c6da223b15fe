import type { Value } from '../../go/value.ts';
import type { Check } from './check.ts';
import type { Failure } from './failure.ts';
import { displayCount } from './failure.ts';
import { findDuplicates } from './json-value.ts';
import type { Schema } from './schema.ts';

/** Applies the keywords for arrays. */
export function checkArray(check: Check, items: readonly Value[]): void {
  const { minItems, maxItems, uniqueItems } = check.schema;
  const count = items.length;
  if (minItems !== undefined && count < minItems)
    check.fail(`minItems: got ${displayCount(count)}, want ${displayCount(minItems)}`);
  if (maxItems !== undefined && count > maxItems)
    check.fail(`maxItems: got ${displayCount(count)}, want ${displayCount(maxItems)}`);
  const duplicates = uniqueItems === true ? findDuplicates(items) : undefined;
  if (duplicates !== undefined) check.fail(`items at ${duplicates.map(displayCount).join(' and ')} are equal`);
  if (check.schema.draft < 2020) checkItemsBefore2020(check, items);
  else checkItems(check, items);
  if (check.schema.contains !== undefined) checkContains(check, items, check.schema.contains);
}

function checkItemsBefore2020(check: Check, items: readonly Value[]): void {
  const { items: schemas, additionalItems } = check.schema;
  if (schemas === undefined) return;
  if (!isList(schemas)) {
    applyToAll(check, schemas, items, 0);
    return;
  }
  applyInOrder(check, schemas, items);
  if (additionalItems === undefined || additionalItems === true) return;
  if (additionalItems !== false) applyToAll(check, additionalItems, items, schemas.length);
  else if (items.length > schemas.length)
    check.fail(`last ${displayCount(items.length - schemas.length)} additionalItem(s) not allowed`);
}

function isList(schemas: Schema | readonly Schema[]): schemas is readonly Schema[] {
  return Array.isArray(schemas);
}

function checkItems(check: Check, items: readonly Value[]): void {
  const { prefixItems = [], items: rest } = check.schema;
  applyInOrder(check, prefixItems, items);
  if (rest !== undefined && !isList(rest)) applyToAll(check, rest, items, prefixItems.length);
}

function applyInOrder(check: Check, schemas: readonly Schema[], items: readonly Value[]): void {
  for (const [i, schema] of schemas.entries()) {
    const item = items[i];
    if (item !== undefined) check.add(check.part(schema, item, i));
  }
}

function applyToAll(check: Check, schema: Schema, items: readonly Value[], from: number): void {
  for (const [i, item] of items.entries()) {
    if (i >= from) check.add(check.part(schema, item, i));
  }
}

function checkContains(check: Check, items: readonly Value[], contains: Schema): void {
  const { minContains, maxContains, draft } = check.schema;
  const failures: Failure[] = [];
  const matched: number[] = [];
  for (const [i, item] of items.entries()) {
    const failure = check.part(contains, item, i);
    if (failure !== undefined) failures.push(failure);
    else {
      matched.push(i);
      if (draft >= 2020) check.unevaluated.items?.delete(i);
    }
  }
  const found =
    matched.length === 0 ? 'none matched' : `matched ${displayCount(matched.length)} items at ${matched.join(' ')}`;
  if (minContains === undefined) {
    if (matched.length === 0) check.fail('no items match contains schema', failures);
  } else if (matched.length < minContains) {
    check.fail(`min ${displayCount(minContains)} items required to match contains schema, but ${found}`, failures);
  }
  if (maxContains !== undefined && matched.length > maxContains) {
    check.fail(`max ${displayCount(maxContains)} items required to match contains schema, but ${found}`);
  }
}
