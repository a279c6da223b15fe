// The examples in TypeScript that the documents have.
import { readFile } from 'node:fs/promises';

const documents = ['README.md', 'docs/library.md'];

export interface Example {
  /** `docs/library.md 2`. */
  title: string;
  code: string;
}

/** Those that import a published entry, in the order of the documents. */
export async function documentedExamples(entry: string): Promise<Example[]> {
  const texts = await Promise.all(documents.map((name) => readFile(new URL(`../${name}`, import.meta.url), 'utf8')));
  return texts.flatMap((text, i) =>
    [...text.matchAll(/^```ts\n(.*?)^```$/gms)]
      .map(([, code = '']) => code)
      .filter((code) => code.includes(`'${entry}'`))
      .map((code, n) => ({ title: `${documents[i]} ${n + 1}`, code })),
  );
}
