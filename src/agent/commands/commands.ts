import type { OperationContext } from '../../operation/context.ts';
import type { Operations } from '../../operation/operations.ts';
import type { InstallRequest } from '../../operation/request.ts';
import type { CommandPayloads } from '../../protocol/commands.ts';
import type { ChartSource } from '../../source/chart-source.ts';
import { ValuesTextError } from './errors.ts';
import type { CommandContext, CommandHandlers } from './handler.ts';

type Values = NonNullable<InstallRequest['values']>;

export interface CommandDependencies {
  operations: Operations;
  source: Pick<ChartSource, 'load'>;
  /** Reads YAML text. Throws where it is no mapping; a `line` of the error is passed on. */
  readValues: (text: string) => Values;
  /** What all operations of this agent work with. */
  surroundings: Pick<OperationContext, 'cluster' | 'storage' | 'renderer' | 'host'>;
}

/** Commands performed as operations on releases. */
export function createCommandHandlers(dependencies: CommandDependencies): CommandHandlers {
  const { operations, source, readValues, surroundings } = dependencies;

  const contextOf = (command: CommandContext): OperationContext => ({
    ...surroundings,
    signal: command.signal,
    abandon: command.abandon,
    progress: (progress) => command.progress(progress),
  });

  const deployRequest = (payload: CommandPayloads['install_release'] | CommandPayloads['upgrade_release']) => {
    const { repoUrl, repoUserName, repoPassword, chartName, chartVersion, values, ...request } = payload;
    const chart = { chartName, chartVersion, repoUrl, username: repoUserName, password: repoPassword };
    return {
      ...withoutUndefined(request),
      ...(values !== undefined && { values: valuesOf(values, readValues) }),
      loadChart: (signal: AbortSignal) => source.load(chart, signal),
    };
  };

  return {
    async install_release(payload, context) {
      return { release: { ...(await operations.install(contextOf(context), deployRequest(payload))) } };
    },
    async upgrade_release(payload, context) {
      return { release: { ...(await operations.upgrade(contextOf(context), deployRequest(payload))) } };
    },
    async uninstall_release(payload, context) {
      const { release, info } = await operations.uninstall(contextOf(context), withoutUndefined(payload));
      return { release: { ...release }, ...(info !== '' && { info }) };
    },
    async list_releases(payload, context) {
      const releases = await operations.list(contextOf(context), withoutUndefined(payload));
      return {
        releases: releases.map(({ name, namespace, version, info, chart }) => ({
          name,
          namespace,
          version,
          info: { ...info, notes: undefined },
          chart: { metadata: chart.metadata },
        })),
      };
    },
    async get_release(payload, context) {
      return { release: { ...(await operations.get(contextOf(context), withoutUndefined(payload))) } };
    },
    async deployment_info({ namespace, deploymentName }, context) {
      return { deployment: await operations.deploymentInfo(contextOf(context), { namespace, name: deploymentName }) };
    },
  };
}

function valuesOf(text: string, readValues: (text: string) => Values): Values {
  try {
    return readValues(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const line = error instanceof Error && 'line' in error && typeof error.line === 'number' ? error.line : undefined;
    throw new ValuesTextError(`values: give a YAML mapping: ${reason}`, line);
  }
}

type Defined<Fields> = { [Name in keyof Fields]: Exclude<Fields[Name], undefined> };

/** The same without the fields that are undefined. */
function withoutUndefined<Fields extends object>(fields: Fields): Defined<Fields> {
  const defined = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(defined) as Defined<Fields>; // the filter is what the type says
}
