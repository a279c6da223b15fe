// Finds the TypeScript examples in the documentation.
import { readFile } from 'node:fs/promises';

const documents = ['README.md', 'docs/library.md'];

export interface Example {
  /** Document and number, such as `docs/library.md 2`. */
  title: string;
  code: string;
}

/** Returns the examples that import a published entry, in the order of the documents. */
export async function documentedExamples(entry: string): Promise<Example[]> {
  const texts = await Promise.all(documents.map((name) => readFile(new URL(`../${name}`, import.meta.url), 'utf8')));
  return texts.flatMap((text, i) =>
    [...text.matchAll(/^```ts\n(.*?)^```$/gms)]
      .map(([, code = '']) => code)
      .filter((code) => code.includes(`'${entry}'`))
      .map((code, n) => ({ title: `${documents[i]} ${n + 1}`, code })),
  );
}
