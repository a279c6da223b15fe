import { quote } from '../../go/strconv.ts';
import type { ArgumentCheck } from './command.ts';

type Rule = 'exactly' | 'at least' | 'at most';

/** Returns a check of the number of arguments. Its errors have Helm's texts (pkg/cmd/require). */
export function argumentCount(rule: Rule, number: number): ArgumentCheck {
  return ({ length }, { path, useLine }) => {
    if (isRight(rule, number, length)) return;
    throw new Error(`${quote(path)} ${ruleText(rule, number)}\n\nUsage:  ${useLine}`);
  };
}

function isRight(rule: Rule, number: number, given: number): boolean {
  if (rule === 'exactly') return given === number;
  return rule === 'at least' ? given >= number : given <= number;
}

function ruleText(rule: Rule, number: number): string {
  const counted = `${number} ${number === 1 ? 'argument' : 'arguments'}`;
  if (rule === 'exactly') return number === 0 ? 'accepts no arguments' : `requires ${counted}`;
  return rule === 'at least' ? `requires at least ${counted}` : `accepts at most ${counted}`;
}
