import { z } from 'zod';
import { timeoutSchema } from './duration.ts';

/** Go's clients send zero values for what they leave out: an empty string, null or 0 means absent. */
function withoutZeroValues(payload: unknown): unknown {
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) return payload;
  return Object.fromEntries(
    Object.entries(payload).filter(([, value]) => value !== '' && value !== null && value !== 0),
  );
}

const commandPayload = <Shape extends z.ZodRawShape>(shape: Shape) => z.preprocess(withoutZeroValues, z.object(shape));

const chartSource = {
  /** An HTTP repository. Without it, `chartName` is a path below the folder that the agent allows. */
  repoUrl: z.string().optional(),
  repoUserName: z.string().optional(),
  repoPassword: z.string().optional(),
  chartName: z.string(),
  /** A version or a range; the newest stable version where absent. */
  chartVersion: z.string().optional(),
};

const releaseIdentity = {
  namespace: z.string().default('default'),
  releaseName: z.string(),
};

const deployOptions = {
  /** YAML text. */
  values: z.string().optional(),
  timeout: timeoutSchema.optional(),
  wait: z.boolean().optional(),
  waitForJobs: z.boolean().optional(),
  atomic: z.boolean().optional(),
  createNamespace: z.boolean().optional(),
  description: z.string().optional(),
};

const installReleaseSchema = commandPayload({
  ...releaseIdentity,
  ...chartSource,
  ...deployOptions,
  /** Upgrade the release where there is one. */
  upgrade: z.boolean().optional(),
});
export type InstallRelease = z.output<typeof installReleaseSchema>;

const upgradeReleaseSchema = commandPayload({ ...releaseIdentity, ...chartSource, ...deployOptions });
export type UpgradeRelease = z.output<typeof upgradeReleaseSchema>;

const uninstallReleaseSchema = commandPayload({
  ...releaseIdentity,
  timeout: timeoutSchema.optional(),
  wait: z.boolean().optional(),
  description: z.string().optional(),
});
export type UninstallRelease = z.output<typeof uninstallReleaseSchema>;

const listReleasesSchema = commandPayload({
  /** All namespaces where absent. */
  namespace: z.string().optional(),
});
export type ListReleases = z.output<typeof listReleasesSchema>;

const getReleaseSchema = commandPayload({
  ...releaseIdentity,
  /** The revision, as the release's own field is called; the newest where absent. */
  version: z.int().positive().optional(),
});
export type GetRelease = z.output<typeof getReleaseSchema>;

const deploymentInfoSchema = commandPayload({
  namespace: z.string().default('default'),
  deploymentName: z.string(),
});
export type DeploymentInfo = z.output<typeof deploymentInfoSchema>;

/** What the payload of each command is once it is read. */
export interface CommandPayloads {
  install_release: InstallRelease;
  upgrade_release: UpgradeRelease;
  uninstall_release: UninstallRelease;
  list_releases: ListReleases;
  get_release: GetRelease;
  deployment_info: DeploymentInfo;
}

export type CommandType = keyof CommandPayloads;

export const commandSchemas: { [Type in CommandType]: z.ZodType<CommandPayloads[Type]> } = {
  install_release: installReleaseSchema,
  upgrade_release: upgradeReleaseSchema,
  uninstall_release: uninstallReleaseSchema,
  list_releases: listReleasesSchema,
  get_release: getReleaseSchema,
  deployment_info: deploymentInfoSchema,
};

export const commandTypes = Object.keys(commandSchemas) as CommandType[]; // Object.keys widens to string[]

export function isCommandType(type: string): type is CommandType {
  return Object.hasOwn(commandSchemas, type);
}
