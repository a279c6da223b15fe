import { explain } from '../../policy/explain.ts';
import { argumentCount } from '../cobra/argument-count.ts';
import type { Command } from '../cobra/command.ts';
import { CommandError } from '../cobra/execute.ts';
import type { ProgramDependencies } from '../dependencies.ts';
import { policyAt, readTriedCommands, refusedCode, triedCommandFlags } from './tried-policy.ts';

export const checkCommand: Command<ProgramDependencies> = {
  use: 'check FILE [-- COMMAND ...]',
  long: `Check the policy in a file, and whether it allows a command of ctl, which is not sent.

The exit code is 1 if the policy or the command line is wrong, and ${refusedCode} if the policy refuses the
command. --manifest adds the objects that the command would change: helm-agent template prints them.`,
  examples: [
    'policy.yaml',
    'policy.yaml -- install web oci://registry.example.com/charts/web --namespace shop',
    'policy.yaml --caller ci --manifest rendered.yaml -- upgrade web ./web --namespace shop',
  ],
  checkArguments: argumentCount('at least', 1),
  flags: triedCommandFlags,
  async run({ args: [path = '', ...words], flags, context }) {
    const { stdout } = context;
    const policy = await policyAt(path, context);
    if (words.length === 0) {
      stdout.write(`${path} is correct; it has ${policy.rules.rules.length} rules\n`);
      return 0;
    }
    const tried = await readTriedCommands(words, flags, context, policy);
    if (typeof tried === 'number') return tried;
    for (const command of tried) {
      const { rule, refusal } = await explain(policy, command);
      if (refusal !== undefined) throw new CommandError(refusal, refusedCode);
      stdout.write(`allowed by ${rule === undefined ? 'the default of the policy' : `rule ${rule}`}\n`);
    }
    return 0;
  },
};
