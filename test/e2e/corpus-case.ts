import { loadAll } from 'js-yaml';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { KubeObject } from '../../src/objects/object.ts';

/** A chart of a corpus with what the real helm made of it, for the release `rel` in the namespace `testns`. */
export interface CorpusCase {
  /** File name of the chart within the corpus's folder `charts`. */
  chart: string;
  /** What helm printed, without hooks. */
  objects: KubeObject[];
}

/** Reads the case of a chart without values. The file `cases.jsonl` has a case a line. */
export function readCorpusCase(corpus: string, chartName: string): CorpusCase {
  const lines = readFileSync(join(corpus, 'cases.jsonl'), 'utf8').trim().split('\n');
  const cases = lines.map(
    (line) =>
      JSON.parse(line) as { id: string; name: string; values: string | null; chart: string; golden: string | null },
  ); // as the corpus's README says
  const found = cases.find(({ name, values }) => name === chartName && values === null);
  if (!found) throw new Error(`the corpus has no case of ${chartName}`);
  const file = join(corpus, found.golden ?? `samples/${found.id}.1.yaml.gz`);
  const documents = loadAll(gunzipSync(readFileSync(file)).toString('utf8')) as (KubeObject | null)[]; // helm printed objects
  const objects = documents
    .filter((document) => document !== null)
    .filter(({ metadata }) => metadata.annotations?.['helm.sh/hook'] === undefined);
  return { chart: basename(found.chart), objects };
}
