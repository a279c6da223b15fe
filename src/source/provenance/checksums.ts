import { quote } from '../../go/strconv.ts';
import { fromBytes } from '../../go/text.ts';
import { decodeYamlTree, goStringMap, goStruct } from '../../yaml/decode-struct.ts';
import { readTypedYaml } from '../../yaml/read.ts';
import { writeYaml } from '../../yaml/write.ts';

interface SumCollection {
  readonly files: ReadonlyMap<string, string>;
  readonly images: ReadonlyMap<string, string>;
}

const sumCollection = goStruct<SumCollection>('provenance.SumCollection', { files: goStringMap, images: goStringMap });

/** The end of a YAML document. A line of hyphens would be escaped in a clearsigned message. */
const separator = '\n...\n';

/** Returns the text that is signed: the metadata of a chart in YAML, and its archive's SHA-256. */
export function checksumText(metadata: string, fileName: string, digest: string): string {
  return `${metadata}${separator}${writeYaml(new Map([['files', new Map([[fileName, `sha256:${digest}`]])]]))}`;
}

/**
 * Compares the SHA-256 of an archive with the one in a signed text, and returns it as Helm prints
 * it. Throws an error with Helm's text if there is none, or another one.
 */
export function checkChecksum(signed: Uint8Array, fileName: string, digest: string): string {
  const [, sums] = fromBytes(signed).split(separator);
  if (sums === undefined) throw new Error('message block must have at least two parts');
  const { files } = decodeYamlTree(readTypedYaml(sums), sumCollection);
  const [expected, actual] = [files.get(fileName), `sha256:${digest}`];
  if (expected === undefined) {
    throw new Error(`provenance does not contain a SHA for a file named ${quote(fileName)}`);
  }
  if (expected === actual) return actual;
  throw new Error(`sha256 sum does not match for ${fileName}: ${quote(expected)} != ${quote(actual)}`);
}
