import * as z from 'zod';
import { type ImagePrefix, isBelowPrefix, parseImagePrefix } from '../objects/images/image-reference.ts';
import type { ImageRules } from '../objects/images/rewrite-images.ts';
import { matchesPattern } from '../protocol/pattern.ts';
import { patternsSchema } from '../rights/command-selector.ts';
import { normalUrl } from './chart-reference.ts';

const maxRules = 200;
const maxUrlLength = 1000;
const maxNameLength = 253;

/** A URL below which charts are, as it is requested, with a slash at its end. */
const chartPrefixSchema = z
  .string()
  .max(maxUrlLength)
  .transform((text, context) => {
    const url = normalUrl(text.endsWith('/') ? text : `${text}/`);
    if (url !== undefined) return url;
    context.addIssue({
      code: 'custom',
      message: 'must be an https://, http:// or oci:// URL without a user or a query',
    });
    return z.NEVER;
  });

const imagePrefixSchema = z
  .string()
  .max(maxUrlLength)
  .transform((text, context): { text: string; prefix: ImagePrefix } => {
    const plain = text.replace(/\/$/, '');
    const prefix = parseImagePrefix(plain);
    if (prefix !== undefined) return { text: plain, prefix };
    const example = 'such as docker.io/library or registry.internal:5000/mirror';
    context.addIssue({ code: 'custom', message: `must be the host of a registry, with or without a path, ${example}` });
    return z.NEVER;
  });

const secretNameSchema = z
  .string()
  .max(maxNameLength)
  .regex(/^[a-z0-9][a-z0-9.-]*$/, 'must be the name of a Secret');

/** Registries and repositories that are used in place of others. */
export const mirrorsSchema = z
  .strictObject({
    charts: z
      .array(
        z
          .strictObject({
            from: chartPrefixSchema,
            to: chartPrefixSchema,
            /** Secret of the agent's namespace with credentials. Default: none are sent. */
            secret: secretNameSchema.optional(),
          })
          .refine(({ from, to }) => isRegistry(from) === isRegistry(to), 'from and to must both be oci://, or neither'),
      )
      .max(maxRules)
      .default([]),
    images: z
      .array(
        z
          .strictObject({ from: imagePrefixSchema, to: imagePrefixSchema })
          .refine(
            ({ from, to }) => from.prefix.repository === undefined || to.prefix.repository !== undefined,
            'to must have a path if from has one',
          ),
      )
      .max(maxRules)
      .default([]),
    /** Other hosts that mirrors of charts may lead to, as for their files. Default: none. */
    hosts: z.array(z.string().max(maxUrlLength)).max(maxRules).default([]),
  })
  .superRefine(({ charts, images }, context) => {
    charts.forEach(({ to }, index) => {
      const again = charts.find(({ from }) => isBelowUrl(to, from));
      if (again === undefined) return;
      const message = `is itself below ${again.from}, so it would be replaced again`;
      context.addIssue({ code: 'custom', message, path: ['charts', index, 'to'] });
    });
    images.forEach(({ to }, index) => {
      const { registry, repository = '' } = to.prefix;
      const again = images.find(({ from }) => isBelowPrefix({ registry, repository }, from.prefix));
      if (again === undefined) return;
      const message = `is itself below ${again.from.text}, so it would be replaced again`;
      context.addIssue({ code: 'custom', message, path: ['images', index, 'to'] });
    });
  });

/** Secrets that pods get, to pull the images of registries. */
export const pullSecretsSchema = z
  .array(
    z.strictObject({
      /** Registries, with or without a path, after mirrors. */
      registries: z.array(imagePrefixSchema).min(1).max(maxRules),
      /** Patterns of the namespaces of releases. Default: all. */
      namespaces: patternsSchema,
      /** Name of the Secret, which must be in the namespace of the pods. */
      secret: secretNameSchema,
    }),
  )
  .max(maxRules);

type Mirrors = z.output<typeof mirrorsSchema>;
type PullSecrets = z.output<typeof pullSecretsSchema>;

/** Where charts come from instead. */
interface ChartMirrors {
  /**
   * Returns the URL of a mirror in place of another one, and the Secret with its credentials.
   * Undefined if no mirror is for the URL.
   */
  mirrorOf(url: string): { url: string; secret: string | undefined } | undefined;
  /** The hosts, with ports, that a mirror may lead to. */
  hosts: ReadonlySet<string>;
}

/** The parts of a policy that replace what a command names. */
export interface MirrorLimits {
  /** The mirrors of charts. Default: there are none. */
  readonly chartMirrors?: ChartMirrors | undefined;
  /** Returns the rules for the images of a release in a namespace. Default: there are none. */
  readonly imageRules?: ((namespace: string) => NamespacedRules | undefined) | undefined;
}

type NamespacedRules = ImageRules & { namespace: string };

const noMirrors: Mirrors = { charts: [], images: [], hosts: [] };

/** Returns what a policy replaces, whatever the rule of a command. */
export function mirrorsOf({ mirrors = noMirrors, pullSecrets }: MirrorFields): MirrorLimits {
  const hasImages = mirrors.images.length + pullSecrets.length > 0;
  return {
    chartMirrors: chartMirrors(mirrors),
    ...(hasImages && { imageRules: (namespace) => imageRules(mirrors, pullSecrets, namespace) }),
  };
}

interface MirrorFields {
  mirrors?: Mirrors | undefined;
  pullSecrets: PullSecrets;
}

/** Returns the mirrors of charts. Undefined if there are none. */
function chartMirrors({ charts, hosts }: Mirrors): ChartMirrors | undefined {
  if (charts.length === 0) return undefined;
  return {
    hosts: new Set([...charts.map(({ to }) => hostOf(to)), ...hosts.map((host) => host.toLowerCase())]),
    mirrorOf(url) {
      // a version after the name is not a part of the path
      const last = url.lastIndexOf('/');
      const offset = isRegistry(url) ? url.slice(last).search(/[:@]/) : -1;
      const end = offset < 0 ? url.length : last + offset;
      const [place, version] = [url.slice(0, end), url.slice(end)];
      const normal = normalUrl(place);
      if (normal === undefined) return undefined;
      const [rule] = charts
        .filter(({ from }) => isBelowUrl(normal, from))
        .sort((a, b) => b.from.length - a.from.length);
      if (rule === undefined) return undefined;
      const rest = `${normal}/`.slice(schemeless(normal, rule.from).length).replace(/\/$/, '');
      const path = rest === '' ? rule.to.replace(/\/$/, '') : `${rule.to}${rest}`;
      return { url: `${path}${version}`, secret: rule.secret };
    },
  };
}

/** Returns the rules for the images of a release. Undefined if there are none. */
function imageRules({ images }: Mirrors, pullSecrets: PullSecrets, namespace: string): NamespacedRules | undefined {
  const secrets = pullSecrets.filter(
    ({ namespaces }) => namespaces?.some((one) => matchesPattern(one, namespace)) ?? true,
  );
  if (images.length + secrets.length === 0) return undefined;
  return {
    namespace,
    mirrors: images.map(({ from, to }) => ({ from: from.prefix, to: to.text })),
    pullSecrets: secrets.map(({ registries, secret }) => ({
      registries: registries.map(({ prefix }) => prefix),
      name: secret,
    })),
  };
}

function isRegistry(url: string): boolean {
  return url.startsWith('oci:');
}

/** Whether a URL is below another one, which ends with a slash. HTTP counts as HTTPS. */
function isBelowUrl(url: string, prefix: string): boolean {
  return `${url}/`.startsWith(schemeless(url, prefix));
}

/** Returns a prefix with the scheme of a URL, if both are of HTTP. */
function schemeless(url: string, prefix: string): string {
  return url.startsWith('http:') ? prefix.replace(/^https:/, 'http:') : prefix;
}

function hostOf(url: string): string {
  return new URL(url.replace(/^oci:/, 'https:')).host;
}
