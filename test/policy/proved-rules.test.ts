import { readFile } from 'node:fs/promises';
import test from 'ava';
import { readPolicy, ruleFields } from '../../src/policy/policy-rules.ts';
import { sizesSchema } from '../../src/policy/sizes.ts';
import { casePolicy, otherCases, policyCases } from '../e2e/policy-cases.ts';

const fields = ruleFields.flatMap((field) =>
  field === 'sizes' ? Object.keys(sizesSchema.shape).map((size) => `sizes.${size}`) : [field],
);

test('each field of a rule has a case that is allowed and one that is refused on a real cluster', async (t) => {
  for (const field of fields) {
    const other = otherCases[field];
    if (other === undefined) {
      const cases = policyCases.filter((one) => one.field === field);
      t.true(
        cases.some(({ refusal }) => refusal === undefined),
        `${field} has no case in test/e2e/policy-cases.ts that is allowed`,
      );
      t.true(
        cases.some(({ refusal }) => refusal !== undefined),
        `${field} has no case in test/e2e/policy-cases.ts that is refused`,
      );
    } else {
      const text = await readFile(new URL(`../e2e/${other.file}`, import.meta.url), 'utf8');
      for (const title of [other.allowed, other.refused]) t.true(text.includes(title), `${other.file}: ${title}`);
    }
  }
});

test('the cases are about fields of rules, and their policy can be read', (t) => {
  for (const { field } of policyCases) t.true(fields.includes(field), field);
  for (const field of Object.keys(otherCases)) t.true(fields.includes(field), field);
  t.notThrows(() => readPolicy(casePolicy('shop')));
});
