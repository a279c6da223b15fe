const tags = 'HTML|HEAD|SCRIPT|IFRAME|H1|DIV|FONT|TABLE|A|STYLE|TITLE|B|BODY|BR|P';

const signatures: readonly (readonly [RegExp, string])[] = [
  [new RegExp(`^[\\t\\n\\f\\r ]*(?:<(?:!DOCTYPE HTML|${tags})[ >]|<!--)`, 'i'), 'text/html; charset=utf-8'],
  [/^[\t\n\f\r ]*<\?xml/, 'text/xml; charset=utf-8'],
  [/^%PDF-/, 'application/pdf'],
  [/^%!PS-Adobe-/, 'application/postscript'],
  [/^\xfe\xff[^]{2}/, 'text/plain; charset=utf-16be'],
  [/^\xff\xfe[^]{2}/, 'text/plain; charset=utf-16le'],
  [/^\xef\xbb\xbf[^]/, 'text/plain; charset=utf-8'],
  [/^\0\0[\x01\x02]\0/, 'image/x-icon'],
  [/^BM/, 'image/bmp'],
  [/^GIF8[79]a/, 'image/gif'],
  [/^RIFF[^]{4}WEBPVP/, 'image/webp'],
  [/^\x89PNG\r\n\x1a\n/, 'image/png'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^FORM[^]{4}AIFF/, 'audio/aiff'],
  [/^ID3/, 'audio/mpeg'],
  [/^OggS\0/, 'application/ogg'],
  [/^MThd\0\0\0\x06/, 'audio/midi'],
  [/^RIFF[^]{4}AVI /, 'video/avi'],
  [/^RIFF[^]{4}WAVE/, 'audio/wave'],
  [/^\x1a\x45\xdf\xa3/, 'video/webm'],
  [/^\0\x01\0\0/, 'font/ttf'],
  [/^OTTO/, 'font/otf'],
  [/^ttcf/, 'font/collection'],
  [/^wOFF/, 'font/woff'],
  [/^wOF2/, 'font/woff2'],
  [/^PK\x03\x04/, 'application/zip'],
  [/^Rar!\x1a\x07\0/, 'application/x-rar-compressed'],
  [/^Rar!\x1a\x07\x01\0/, 'application/x-rar-compressed'],
  [/^\0asm/, 'application/wasm'],
];

/**
 * Returns the media type of a file, guessed from its first 512 bytes as Go's
 * `http.DetectContentType` does. A shorter file is padded with zeros, as Helm does.
 */
export function contentType(data: Uint8Array): string {
  const head = Buffer.from(data.subarray(0, 512)).toString('latin1').padEnd(512, '\0');
  const known = signatures.find(([signature]) => signature.test(head));
  if (known !== undefined) return known[1];
  return /[\0-\x08\x0b\x0e-\x1a\x1c-\x1f]/.test(head) ? 'application/octet-stream' : 'text/plain; charset=utf-8';
}
