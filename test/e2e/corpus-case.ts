import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { loadAll } from 'js-yaml';
import type { KubeObject } from '../../src/objects/object.ts';

/** A chart of the corpus and helm's output for the release `rel` in the namespace `testns`. */
export interface CorpusCase {
  /** File name of the chart in the corpus's folder `charts`. */
  chart: string;
  /** Objects that helm printed, without hooks. */
  objects: KubeObject[];
}

/** Reads a chart's case without values from `cases.jsonl`, which has one case per line. */
export function readCorpusCase(corpus: string, chartName: string): CorpusCase {
  const lines = readFileSync(join(corpus, 'cases.jsonl'), 'utf8').trim().split('\n');
  const cases = lines.map(
    (line) =>
      JSON.parse(line) as { id: string; name: string; values: string | null; chart: string; golden: string | null },
  ); // the format that the corpus's README describes
  const found = cases.find(({ name, values }) => name === chartName && values === null);
  if (!found) throw new Error(`the corpus has no case for ${chartName}`);
  const file = join(corpus, found.golden ?? `samples/${found.id}.1.yaml.gz`);
  const documents = loadAll(gunzipSync(readFileSync(file)).toString('utf8')) as (KubeObject | null)[]; // helm printed objects
  const objects = documents
    .filter((document) => document !== null)
    .filter(({ metadata }) => metadata.annotations?.['helm.sh/hook'] === undefined);
  return { chart: basename(found.chart), objects };
}
