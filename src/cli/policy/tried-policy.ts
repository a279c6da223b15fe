import { messageOf } from '../../errors/index.ts';
import { currentDate } from '../../go/host.ts';
import { type ImageMirror, mirroredImage } from '../../objects/images/rewrite-images.ts';
import type { KubeObject } from '../../objects/object.ts';
import { chartReferenceOf } from '../../policy/chart-reference.ts';
import type { CompiledPolicy } from '../../policy/conditions/command-conditions.ts';
import type { ConditionEvaluator } from '../../policy/conditions/condition.ts';
import { imagesOf } from '../../policy/images.ts';
import { mirrorsOf } from '../../policy/mirrors.ts';
import { compilePolicy } from '../../policy/policy-file.ts';
import type { PolicyScope } from '../../policy/policy-scope.ts';
import { targetOf } from '../../protocol/commands/command-target.ts';
import type { CommandTable } from '../../protocol/commands/table.ts';
import { readObjects } from '../../render/manifest/read-objects.ts';
import { rewriteManifest } from '../../render/manifest/rewrite-manifest.ts';
import { execute } from '../cobra/execute.ts';
import { ctlCommand } from '../ctl/command.ts';
import { knownCommand } from '../ctl/follow.ts';
import type { InterceptedCommand, ProgramDependencies } from '../dependencies.ts';
import { textFlag } from '../pflag/flag.ts';
import type { FlagValues } from '../pflag/flag-values.ts';
import { verbs } from '../verb/index.ts';

/** Exit code if a policy refuses a command. */
export const refusedCode = 3;

/** Flags of the commands that try a policy on a command of `ctl`. */
export const triedCommandFlags = () => [
  textFlag('caller', '`name` of the sender, as the control plane says it'),
  textFlag('manifest', '`file` with the objects that the command would change; - reads stdin'),
  textFlag('at', '`time` at which the command would begin, as 2006-01-02T15:04:05Z (default: now)'),
];

/** A command of `ctl` to try a policy on. */
export interface TriedCommand {
  scope: PolicyScope;
  begins: Date;
  /** With the images of mirrors. */
  objects: readonly KubeObject[];
  /** Lines that say what the policy replaces. */
  replaced: string[];
}

/**
 * Reads words as a command line of `ctl`, and returns the commands that it would send. Returns an
 * exit code if it cannot be read, or sends nothing.
 */
export async function readTriedCommands(
  words: readonly string[],
  flags: FlagValues,
  dependencies: ProgramDependencies,
  { rules }: CompiledPolicy,
): Promise<TriedCommand[] | number> {
  const { stdout, stderr, host } = dependencies;
  const begins = timeOf(flags.optionalText('at')) ?? currentDate(host);
  const manifest = flags.optionalText('manifest');
  const text = manifest === undefined ? '' : new TextDecoder().decode(await dependencies.readFile(manifest));
  const { chartMirrors, imageRules } = mirrorsOf(rules);
  const tried: TriedCommand[] = [];
  const interceptCommand = (sent: InterceptedCommand) => {
    const scope = { ...scopeOf(sent, dependencies.table), sentBy: flags.optionalText('caller') };
    const images = imageRules?.(scope.namespace ?? '');
    const given = objectsOf(text, manifest);
    const objects = images === undefined ? given : objectsOf(rewriteManifest(text, images, images.namespace), manifest);
    const mirror = chartMirrors?.mirrorOf(scope.chart?.reference ?? '');
    const replaced = [
      ...(mirror === undefined ? [] : [`the chart comes from ${mirror.url}`]),
      ...replacedImages(given, images?.mirrors ?? []),
    ];
    tried.push({ scope, begins, objects, replaced });
  };
  const code = await execute(
    {
      name: 'ctl',
      root: ctlCommand(verbs),
      contextOf: () => ({ ...dependencies, interceptCommand }),
      stdout: (text) => stdout.write(text),
      stderr: (text) => stderr.write(text),
    },
    words,
  );
  if (code !== 0) return code;
  if (tried.length > 0) return tried;
  stderr.write(`Error: ${words[0] ?? ''} sends no command to an agent\n`);
  return 1;
}

/** Returns the parts of a command by which a policy decides, without its sender. */
export function scopeOf(
  { type, payload, hasChart }: InterceptedCommand,
  table: CommandTable | undefined,
): Omit<PolicyScope, 'sentBy'> {
  const { definition, reader } = knownCommand(type, table);
  const read = reader.parse(payload);
  const changes = definition.changes(read);
  return {
    ...{ type, right: definition.right, changes: changes !== undefined, payload: read },
    ...targetOf(read),
    packet: 'unsent',
    chart: chartReferenceOf({ ...read, ...(hasChart && { chartUpload: '' }) }),
  };
}

/** Reads the policy in a file. Rejects with an Error that names the file. */
export async function policyAt(path: string, dependencies: ProgramDependencies): Promise<CompiledPolicy> {
  const text = new TextDecoder().decode(await dependencies.readFile(path));
  try {
    return await compilePolicy(text, evaluatorHere());
  } catch (error) {
    throw new Error(`${path}: ${messageOf(error)}`, { cause: error });
  }
}

/** Returns an evaluator in this thread: the policy is that of the person who runs the program. */
function evaluatorHere(): ConditionEvaluator {
  const load = async () => (await import('../../policy/conditions/cel.ts')).createCelEvaluator();
  let opened: ReturnType<typeof load> | undefined;
  const open = () => (opened ??= load());
  return {
    compile: async (expressions) => (await open()).compile(expressions),
    evaluate: async (expressions, values) => (await open()).evaluate(expressions, values),
    evaluateObjects: async (...given) => (await open()).evaluateObjects(...given),
  };
}

/** Returns a line for each image in place of which another one is used. */
function replacedImages(objects: readonly KubeObject[], mirrors: readonly ImageMirror[]): string[] {
  const images = new Set(objects.flatMap((object) => [...imagesOf(object)]));
  return Array.from(images).flatMap((image) => {
    const mirrored = mirroredImage(image, mirrors);
    return mirrored === undefined ? [] : [`the image ${image} comes from ${mirrored}`];
  });
}

function objectsOf(text: string, path = ''): KubeObject[] {
  return Array.from(readObjects(text, path), ({ object }) => object);
}

function timeOf(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) throw new Error(`--at: ${JSON.stringify(text)} is not a time`);
  return time;
}
