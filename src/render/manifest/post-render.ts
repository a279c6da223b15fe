import { sortedKeys } from '../../go/text.ts';
import { hasContent, textAt, withoutTextAt, withTextAt } from '../../yaml/edit-mapping.ts';
import { YamlError } from '../../yaml/yaml-error.ts';
import { sortManifests, splitManifests } from './manifest.ts';
import { RenderError } from '../render-error.ts';
import { unreadableManifest } from './unreadable-manifest.ts';

/**
 * Changes manifests after templates made them and before they are taken apart. It is given YAML documents, hooks among them, and returns the documents that
 * are to take their place. Each carries the annotation {@link filenameAnnotation}, which is taken out of what comes back; a document
 * without it counts as a new file. What it throws ends the render with `post_render_failed`.
 */
export type PostRender = (manifests: string) => string | Promise<string>;

/**
 * `combined`: one call with hooks and all else; `separate`: one call with the hooks and one with the rest; `nohooks`: one call with
 * the rest. Without documents there is no call, but for `combined`.
 */
export type PostRenderStrategy = 'combined' | 'separate' | 'nohooks';

/** Names the template that a document comes from, while the post-renderer has it. */
const filenameAnnotation = 'postrenderer.helm.sh/postrender-filename';

const annotationPath = ['metadata', 'annotations', filenameAnnotation];

/**
 * Hands rendered files to the post-renderer and reads what it makes of them, as Helm 4 does (pkg/action/action.go: renderResources). Unlike Helm's, which writes
 * YAML anew, documents keep their comments and their form, and a List stays one document. NOTES.txt must not be among the files. Throws RenderError.
 */
export async function postRendered(
  files: ReadonlyMap<string, string>,
  run: PostRender,
  strategy: PostRenderStrategy = 'combined',
): Promise<Map<string, string>> {
  if (strategy === 'combined')
    return through(files, run, { called: 'files', merging: 'manifests', read: '', fallback: '' });
  const { hooks, manifests } = sortManifests(files, unreadableManifest);
  const groups = [
    {
      name: 'hooks',
      files: byFile(hooks.map(({ path, manifest }) => [path, manifest])),
      given: strategy === 'separate',
    },
    { name: 'manifests', files: byFile(manifests.map(({ name, content }) => [name, content])), given: true },
  ];
  const rendered: [string, string][] = [];
  for (const { name, files: own, given } of groups) {
    if (own.size === 0) continue;
    const names = { called: name, merging: name, read: ` for ${name}`, fallback: `${name}-` };
    rendered.push(...(given ? await through(own, run, names) : own));
  }
  return byFile(rendered);
}

/** How errors and new files of one call are named. */
interface CallNames {
  called: string;
  merging: string;
  read: string;
  fallback: string;
}

async function through(
  files: ReadonlyMap<string, string>,
  run: PostRender,
  names: CallNames,
): Promise<Map<string, string>> {
  const merged = mergedFiles(files, names);
  let output: unknown;
  try {
    output = await run(merged);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw failure(`error while running post render on ${names.called}: ${reason}`, cause);
  }
  if (typeof output !== 'string') {
    throw failure(`error while running post render on ${names.called}: it must return a text, not ${typeof output}`);
  }
  return separated(output, names);
}

/** All documents as one stream, each with the annotation that says where it comes from. */
function mergedFiles(files: ReadonlyMap<string, string>, { merging }: CallNames): string {
  const documents: string[] = [];
  for (const path of sortedKeys(files)) {
    for (const document of splitManifests(files.get(path) ?? '')) {
      during(`error merging ${merging}: annotating ${path}`, path, () => {
        if (hasContent(document)) documents.push(endLine(withTextAt(document, annotationPath, path)));
      });
    }
  }
  return documents.join('---\n');
}

/** The documents of a stream by the files that they come from. */
function separated(output: string, { read, fallback }: CallNames): Map<string, string> {
  const what = `error while parsing post rendered output${read}: error parsing YAML`;
  const documents = splitStream(output, what).filter((document) => during(what, undefined, () => hasContent(document)));
  return byFile(
    documents.map((document, i) =>
      during(what, undefined, () => [
        textAt(document, annotationPath) || `generated-by-postrender-${fallback}${i}.yaml`,
        endLine(withoutTextAt(document, annotationPath)),
      ]),
    ),
    '---\n',
  );
}

/** As kustomize's kyaml separates documents: at lines that begin with three dashes and go on with a comment at most. */
function splitStream(text: string, what: string): string[] {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  const documents: string[][] = [[]];
  for (const line of lines) {
    if (!line.startsWith('---')) documents.at(-1)?.push(line);
    else if (/^---\s*(?:#.*)?$/.test(line)) documents.push([]);
    else throw failure(`${what}: invalid document separator: ${line.trim()}`);
  }
  return documents.map((document) => document.join('\n'));
}

function byFile(
  documents: Iterable<readonly [path: string, text: string]>,
  separator = '\n---\n',
): Map<string, string> {
  const files = new Map<string, string>();
  for (const [path, text] of documents) {
    const before = files.get(path);
    files.set(path, before === undefined ? text : before + separator + text);
  }
  return files;
}

function endLine(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}

function during<T>(what: string, file: string | undefined, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (!(cause instanceof YamlError)) throw cause;
    throw failure(`${what}: ${cause.message}`, cause, file);
  }
}

function failure(message: string, cause?: unknown, file?: string): RenderError {
  return new RenderError('post_render_failed', message, { cause, ...(file !== undefined && { position: { file } }) });
}
