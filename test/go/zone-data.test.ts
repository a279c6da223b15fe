import { Buffer } from 'node:buffer';
import { brotliDecompressSync } from 'node:zlib';
import test from 'ava';
import packed from 'moment-timezone/data/packed/latest.json' with { type: 'json' };
import { zoneData, zoneDataVersion } from '../../src/go/zone-data.ts';

test('the generated zone data equal those of moment-timezone', (t) => {
  t.is(zoneDataVersion, packed.version);
  const text = brotliDecompressSync(Buffer.from(zoneData, 'base64')).toString();
  t.true(text === [...packed.zones, '', ...packed.links].join('\n'), 'run tools/zone-data.ts');
});
