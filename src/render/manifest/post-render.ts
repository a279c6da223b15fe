import { messageOf } from '../../errors/index.ts';
import { sortedKeys } from '../../go/text.ts';
import { hasContent, textAt, withoutTextAt, withTextAt } from '../../yaml/edit-mapping.ts';
import { YamlError } from '../../yaml/yaml-error.ts';
import { RenderError } from '../render-error.ts';
import { splitDocuments } from './documents.ts';
import { sortManifests } from './sort-manifests.ts';
import { unreadableManifest } from './unreadable.ts';

/**
 * Changes the rendered manifests before they are split into manifests and hooks. Receives YAML
 * documents, including hooks, and returns the documents that replace them. Each document has the
 * annotation `postrenderer.helm.sh/postrender-filename`, which is removed again from the result; a
 * document without it is a new file. If it throws, the render fails with `post_render_failed`.
 */
export type PostRender = (manifests: string) => string | Promise<string>;

/**
 * `combined`: one call with all documents; `separate`: one call with the hooks and one with the
 * rest; `nohooks`: one call with the rest. `separate` and `nohooks` make no call if there are no
 * documents for it.
 */
export type PostRenderStrategy = 'combined' | 'separate' | 'nohooks';

/** Path of the template that a document comes from. */
const filenameAnnotation = 'postrenderer.helm.sh/postrender-filename';

const annotationPath = ['metadata', 'annotations', filenameAnnotation];

/**
 * Runs the post-renderer on rendered files and returns the resulting files, as Helm 4 does
 * (pkg/action/action.go: renderResources). Helm rewrites the YAML; here documents keep their
 * comments and formatting, and a List stays one document. `files` must not include NOTES.txt.
 * Throws RenderError.
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

/** Words for errors and names of new files of one call. */
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
    const reason = messageOf(cause);
    throw failure(`error while running post render on ${names.called}: ${reason}`, cause);
  }
  if (typeof output !== 'string') {
    throw failure(`error while running post render on ${names.called}: it must return a text, not ${typeof output}`);
  }
  return separated(output, names);
}

/** Returns all documents as one stream, each with the annotation that names its file. */
function mergedFiles(files: ReadonlyMap<string, string>, { merging }: CallNames): string {
  const documents: string[] = [];
  for (const path of sortedKeys(files)) {
    for (const document of splitDocuments(files.get(path) ?? '')) {
      withContext(`error merging ${merging}: annotating ${path}`, path, () => {
        if (hasContent(document)) documents.push(endLine(withTextAt(document, annotationPath, path)));
      });
    }
  }
  return documents.join('---\n');
}

/** Returns the documents of a stream by the files that they come from. */
function separated(output: string, { read, fallback }: CallNames): Map<string, string> {
  const what = `error while parsing post rendered output${read}: error parsing YAML`;
  const documents = splitStream(output, what).filter((document) =>
    withContext(what, undefined, () => hasContent(document)),
  );
  return byFile(
    documents.map((document, i) =>
      withContext(what, undefined, () => [
        textAt(document, annotationPath) || `generated-by-postrender-${fallback}${i}.yaml`,
        endLine(withoutTextAt(document, annotationPath)),
      ]),
    ),
    '---\n',
  );
}

/** Splits at `---` lines as kustomize's kyaml does. Only a comment may follow the dashes. */
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

function withContext<T>(what: string, file: string | undefined, work: () => T): T {
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
