// Types of `helm-agent/control-plane`. The compiler checks them here, and `npm run build` checks
// them against the declarations of the packages.
import { expectTypeOf } from 'expect-type';
import {
  type CommandAnswers,
  type CommandMethods,
  type CommandParameters,
  type CommandResult,
  type CommandStore,
  ControlPlane,
  createMemoryStore,
  type SendOptions,
  type SentCommand,
} from '../../src/control-plane/index.ts';

expectTypeOf(ControlPlane).toBeConstructibleWith();
expectTypeOf(ControlPlane).toBeConstructibleWith({ store: createMemoryStore() });
expectTypeOf(createMemoryStore).returns.toExtend<CommandStore>();
expectTypeOf<ControlPlane>().toExtend<CommandMethods>();

// each command has a method with its own fields
type Install = CommandMethods['install'];
expectTypeOf<Parameters<Install>[0]>().toEqualTypeOf<string>();
expectTypeOf<Parameters<Install>[1]>().toExtend<{ releaseName?: string | undefined }>();
expectTypeOf<Parameters<Install>[2]>().toEqualTypeOf<SendOptions | undefined>();
expectTypeOf<ReturnType<Install>>().toExtend<SentCommand<'install_release'>>();
expectTypeOf<CommandParameters['install_release']>().toHaveProperty('chartName');
expectTypeOf<CommandParameters['rollback_release']>().not.toHaveProperty('chartName');
expectTypeOf<CommandAnswers>().toHaveProperty('list_releases');
expectTypeOf<CommandAnswers>().not.toHaveProperty('list_everything');

// a result is known by `ok`
declare const result: CommandResult;
if (!result.ok) expectTypeOf(result.error.message).toEqualTypeOf<string>();
