// Media types of downloads: executable types are replaced, others are kept.
import { expect, test } from 'vitest';
import { toInertType } from './inert-type.ts';

test.each([
  'text/javascript', 'application/javascript', 'TEXT/JavaScript; charset=utf-8', 'application/x-javascript', 'text/ecmascript',
  'application/x-ecmascript', 'text/jscript', 'text/livescript', 'text/javascript1.5', 'text/css', 'text/css ;x=y',
  'text/html', 'application/xhtml+xml', 'image/svg+xml', 'text/xml', 'application/xml', 'application/xslt+xml', 'text/xsl',
  'application/wasm', 'multipart/x-mixed-replace', 'message/rfc822',
])('%s is replaced by application/octet-stream', type => {
  expect(toInertType(type)).toBe('application/octet-stream');
}); // biome-ignore format: a list of types

test.each([
  'text/plain; charset=utf-8', 'text/csv', 'image/png', 'application/pdf', 'application/json', 'application/zip',
  'application/postscript', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
])('%s is kept', type => {
  expect(toInertType(type)).toBe(type);
}); // biome-ignore format: a list of types
