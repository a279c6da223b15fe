import { commands } from '../protocol/commands/index.ts';
import { isSelected } from '../rights/command-selector.ts';
import type { PolicyRule } from './policy-rules.ts';
import type { PlannedCommand, PolicyScope } from './policy-scope.ts';

const planActions = ['install', 'upgrade', 'rollback', 'uninstall'] as const;
type PlanAction = (typeof planActions)[number];

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

/**
 * Whether a rule allows commands that no rule is for if a plan performs them: it names `apply_plan`
 * and none of them, so that it is about plans, whatever they perform.
 */
export function coversPlans(rule: PolicyRule | undefined): boolean {
  const names = rule?.commands ?? [];
  return names.includes('apply_plan') && !planActions.some((action) => names.includes(`${action}_release`));
}
