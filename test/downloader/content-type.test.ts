import test from 'ava';
import { contentType } from '../../src/downloader/content-type.ts';

// as Go's http.DetectContentType has it of 512 bytes, a short file being filled up with zeros
const detects = test.macro({
  title: (_, what: string, type: string) => `${what} is ${type}`,
  exec(t, _what: string, type: string, data: string) {
    t.is(contentType(Buffer.from(data, 'latin1')), type);
  },
});

test(detects, 'an empty file', 'application/octet-stream', '');
test(detects, 'a short text', 'application/octet-stream', 'text');
test(detects, 'a long text', 'text/plain; charset=utf-8', 'text '.repeat(200));
test(detects, 'a page', 'text/html; charset=utf-8', '\n <!doctype html><title>');
test(detects, 'a word that begins like a tag', 'application/octet-stream', '<bodyguard>');
test(detects, 'a picture', 'image/png', '\x89PNG\r\n\x1a\n');
test(detects, 'a zip', 'application/zip', 'PK\x03\x04');
