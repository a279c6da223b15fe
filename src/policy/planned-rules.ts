import { commands } from '../protocol/commands/index.ts';
import { isSelected } from '../rights/command-selector.ts';
import type { PolicyRule } from './policy-rules.ts';
import type { PlannedCommand, PolicyScope } from './policy-scope.ts';

type PlanAction = 'install' | 'upgrade' | 'rollback' | 'uninstall';

/** Returns the first rule for a command of another type, on the same release. */
export function ruleFor(
  rules: readonly PolicyRule[],
  scope: PolicyScope,
  type: PlannedCommand | 'apply_plan',
): PolicyRule | undefined {
  const { right } = commands[type];
  return rules.find((known) => isSelected(known, { ...scope, type, right }));
}

/** The rules by which a plan would be performed. Those that refuse that limit nothing else. */
interface PerformingRules {
  /** The rule for the command that the plan performs. */
  command?: PolicyRule | undefined;
  all: readonly PolicyRule[];
}

/** Returns the rules by which a plan would be performed: it has what is read when it is made. */
export function performingRules(rules: readonly PolicyRule[], scope: PolicyScope): PerformingRules {
  if (scope.type !== 'plan_release') return { all: [] };
  const { action } = scope.payload as { action?: PlanAction }; // its schema has read it
  const command = action && ruleFor(rules, scope, `${action}_release`);
  const all = [command, ruleFor(rules, scope, 'apply_plan')].filter((rule) => rule !== undefined);
  return {
    command: command?.deny === undefined ? command : undefined,
    all: [...new Set(all)].filter(({ deny }) => deny === undefined),
  };
}
