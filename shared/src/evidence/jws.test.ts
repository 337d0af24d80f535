// Compact JWS of a signature entry: its four header members, and rejected spellings.
import { expect, test } from 'vitest';
import { testKey } from '../../../test/support/ed25519.ts';
import { parseUtf8, toBase64Url, toUtf8 } from './digest.ts';
import { parseJws, signJws, toJwsHeader } from './jws.ts';

const key = testKey('jws');
const payload = toUtf8('{"a":1}');
const entry = await signJws(toJwsHeader('main', 3), payload, key.sign);
const text = parseUtf8(entry);

test('a signature entry is a compact JWS with four header members and a line feed', () => {
  const jws = parseJws(entry);
  expect(parseUtf8(jws.payload)).toBe('{"a":1}');
  expect(jws.header).toEqual({ alg: 'EdDSA', keyVersion: 3, kid: 'main', typ: 'JOSE' });
  expect(jws.isCanonicalHeader).toBe(true);
  expect(jws.signature).toHaveLength(64);
  expect(parseUtf8(jws.signingInput)).toBe(text.slice(0, text.lastIndexOf('.')));
});

const withHeader = (header: string) => toUtf8(`${toBase64Url(toUtf8(header))}.${text.split('.').slice(1).join('.')}`);

test.each([
  ['no line feed', toUtf8(text.trimEnd())],
  ['two line feeds', toUtf8(`${text}\n`)],
  ['a fourth part', toUtf8(text.replace('\n', '.AA\n'))],
  ['two parts', toUtf8(text.slice(text.indexOf('.') + 1))],
  ['an empty part', toUtf8(text.replace(/\..*\./, '..'))],
  ['padding', toUtf8(text.replace('\n', '==\n'))],
  ['a header that is not an object', withHeader('[]')],
  ['an unknown header member', withHeader('{"alg":"EdDSA","crit":["x"],"keyVersion":3,"kid":"main","typ":"JOSE"}')],
  ['an embedded key', withHeader('{"alg":"EdDSA","jwk":{},"keyVersion":3,"kid":"main","typ":"JOSE"}')],
  ['a header member twice', withHeader('{"alg":"none","alg":"EdDSA","keyVersion":3,"kid":"main","typ":"JOSE"}')],
  ['a missing header member', withHeader('{"alg":"EdDSA","kid":"main","typ":"JOSE"}')],
  ['a key version as text', withHeader('{"alg":"EdDSA","keyVersion":"3","kid":"main","typ":"JOSE"}')],
])('a signature entry with %s is malformed', (_, bytes) => {
  expect(() => parseJws(bytes)).toThrow();
});

test('a header in another spelling is reported separately', () => {
  expect(parseJws(withHeader('{"kid":"main", "alg":"EdDSA","keyVersion":3,"typ":"JOSE"}')).isCanonicalHeader).toBe(
    false,
  );
});
