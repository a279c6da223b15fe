import { z } from 'zod';
import { timeoutSchema } from './duration.ts';

/**
 * Go's clients send zero values for what they leave out: an empty string, null or 0 means absent.
 */
function withoutZeroValues(payload: unknown): unknown {
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) return payload;
  return Object.fromEntries(
    Object.entries(payload).filter(([, value]) => value !== '' && value !== null && value !== 0),
  );
}

const chartSource = {
  /**
   * HTTP repository, or an `oci://` URL below which the chart is. Without it, `chartName` is a URL
   * or a path.
   */
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

const installRelease = z.object({
  ...releaseIdentity,
  ...chartSource,
  ...deployOptions,
  /** Upgrade the release where there is one. */
  upgrade: z.boolean().optional(),
});

const upgradeRelease = z.object({ ...releaseIdentity, ...chartSource, ...deployOptions });

const uninstallRelease = z.object({
  ...releaseIdentity,
  timeout: timeoutSchema.optional(),
  wait: z.boolean().optional(),
  description: z.string().optional(),
});

const listReleases = z.object({
  /** All namespaces where absent. */
  namespace: z.string().optional(),
});

const getRelease = z.object({
  ...releaseIdentity,
  /** The revision, as the release's own field is called; the newest where absent. */
  version: z.int().positive().optional(),
});

const deploymentInfo = z.object({
  namespace: z.string().default('default'),
  deploymentName: z.string(),
});

const commands = {
  install_release: installRelease,
  upgrade_release: upgradeRelease,
  uninstall_release: uninstallRelease,
  list_releases: listReleases,
  get_release: getRelease,
  deployment_info: deploymentInfo,
};

export type CommandType = keyof typeof commands;

/** What is sent as the payload of each command. */
export type CommandParameters = { [Type in CommandType]: z.input<(typeof commands)[Type]> };

/**
 * What the payload of each command is once it is read: defaults filled in, times in milliseconds.
 */
export type CommandPayloads = { [Type in CommandType]: z.output<(typeof commands)[Type]> };

/** Reads the payload of each command. */
export const commandSchemas: { [Type in CommandType]: z.ZodType<CommandPayloads[Type]> } = {
  install_release: z.preprocess(withoutZeroValues, installRelease),
  upgrade_release: z.preprocess(withoutZeroValues, upgradeRelease),
  uninstall_release: z.preprocess(withoutZeroValues, uninstallRelease),
  list_releases: z.preprocess(withoutZeroValues, listReleases),
  get_release: z.preprocess(withoutZeroValues, getRelease),
  deployment_info: z.preprocess(withoutZeroValues, deploymentInfo),
};

export const commandTypes = Object.keys(commands) as CommandType[]; // Object.keys widens to string[]

export function isCommandType(type: string): type is CommandType {
  return Object.hasOwn(commands, type);
}
