import { gzipSync } from 'node:zlib';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { KubeObject } from '../../../src/objects/object.ts';

interface TillerRelease {
  name: string;
  namespace: string;
  version: number;
  /** Number of the status in Helm 2. Default: 1, deployed. */
  status?: number;
  manifest?: string;
  values?: string;
}

/** Returns the ConfigMap in which Tiller stores a revision. */
export function tillerRecord(tillerNamespace: string, release: TillerRelease): KubeObject {
  const { name, version } = release;
  const labels = { OWNER: 'TILLER', NAME: name, VERSION: String(version) };
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `${name}.v${version}`, namespace: tillerNamespace, labels },
    data: { release: gzipSync(encodeTillerRelease(release)).toString('base64') },
  };
}

function encodeTillerRelease({ name, namespace, version, status = 1, manifest = '', values = '' }: TillerRelease) {
  const text = (writer: BinaryWriter, field: number, value: string) =>
    writer.tag(field, WireType.LengthDelimited).string(value);
  const message = (writer: BinaryWriter, field: number, write: (inner: BinaryWriter) => void) => {
    writer.tag(field, WireType.LengthDelimited).fork();
    write(writer);
    writer.join();
  };
  const writer = new BinaryWriter();
  text(writer, 1, name);
  message(writer, 2, (info) => {
    message(info, 1, (inner) => inner.tag(1, WireType.Varint).int32(status));
    message(info, 3, (time) => time.tag(1, WireType.Varint).int64(1_580_000_000));
  });
  message(writer, 3, (chart) => {
    message(chart, 1, (metadata) => {
      text(metadata, 1, 'web');
      text(metadata, 4, `1.${version}.0`);
    });
  });
  message(writer, 4, (config) => text(config, 1, values));
  text(writer, 5, manifest);
  writer.tag(7, WireType.Varint).int32(version);
  text(writer, 8, namespace);
  return writer.finish();
}
