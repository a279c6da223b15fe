import { explain, type Explanation } from '../../policy/explain.ts';
import { argumentCount } from '../cobra/argument-count.ts';
import type { Command } from '../cobra/command.ts';
import type { ProgramDependencies } from '../dependencies.ts';
import { policyAt, readTriedCommands, refusedCode, triedCommandFlags } from './tried-policy.ts';

export const explainCommand: Command<ProgramDependencies> = {
  use: 'explain FILE -- COMMAND ...',
  long: `Show how the policy in a file decides about a command of ctl, which is not sent: the rules before,
the rule that decides, and each of its limits on its own.

The exit code is ${refusedCode} if the policy refuses the command.`,
  examples: [
    'policy.yaml -- install web oci://registry.example.com/charts/web --namespace shop',
    'policy.yaml --caller ci --manifest rendered.yaml -- upgrade web ./web --namespace shop',
  ],
  checkArguments: argumentCount('at least', 2),
  flags: triedCommandFlags,
  async run({ args: [path = '', ...words], flags, context }) {
    const policy = await policyAt(path, context);
    const tried = await readTriedCommands(words, flags, context, policy);
    if (typeof tried === 'number') return tried;
    const explanations = await Promise.all(tried.map((command) => explain(policy, command)));
    for (const [index, explanation] of explanations.entries()) {
      const replaced = (tried[index]?.replaced ?? []).map((line) => `${line}\n`);
      context.stdout.write(replaced.join('') + explanationText(explanation));
    }
    return explanations.every(({ refusal }) => refusal === undefined) ? 0 : refusedCode;
  },
};

function explanationText({ skipped, rule, limits, refusal }: Explanation): string {
  const lines = [
    ...skipped.map((other) => `rule ${other.rule} is not for it: ${other.field}`),
    rule === undefined ? 'the default of the policy decides' : `rule ${rule} decides`,
    ...limits.map(({ field, problem }) => `  ${problem === undefined ? 'ok' : 'no'}  ${field}`),
    refusal === undefined ? 'allowed' : `refused: ${refusal}`,
  ];
  return `${lines.join('\n')}\n`;
}
