import * as z from 'zod';
import { accountNameProblem, accountProblem } from '../objects/service-account.ts';
import { selectorFields } from './command-selector.ts';
import { readOwnerFile } from './owner-file.ts';

const maxRules = 1000;
const account = z.string().superRefine((text, context) => {
  const problem = text.includes('/') ? accountProblem(text) : accountNameProblem(text);
  if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
});

const ruleSchema = z.strictObject({
  ...selectorFields,
  /** `NAMESPACE/NAME`, or a name in the namespace of the release, or `none`. */
  account,
});

const rulesSchema = z.strictObject({ rules: z.array(ruleSchema).max(maxRules), default: account });

/** Which service account performs a command. */
export type RightsRules = z.output<typeof rulesSchema>;

/**
 * Reads the text of a rights file. Throws an Error that says what is wrong, and where. The file
 * ends with the field `default`, so that one that is half written is refused.
 */
export function readRights(text: string): RightsRules {
  return readOwnerFile(text, rulesSchema, 'default: none');
}
