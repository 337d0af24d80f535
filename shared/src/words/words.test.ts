// Choice of language from the header Accept-Language.
import { expect, test } from 'vitest';
import { chooseLanguage, toLanguage } from './words.ts';

test.each([
  [undefined, 'en'],
  ['', 'en'],
  ['zh-CN,zh;q=0.9,en;q=0.8', 'zh'],
  ['ZH', 'zh'],
  ['de-DE,de;q=0.9,en;q=0.5,zh;q=0.4', 'en'],
  ['de,fr;q=0.5', 'en'],
  ['en;q=0.2, zh-TW;q=0.3', 'zh'],
  ['zh;q=0, en;q=0.1', 'en'],
  ['zh;q=nonsense', 'en'],
  [',;,;;', 'en'],
])('a browser that prefers %j reads %s', (accepted, language) => {
  expect(chooseLanguage(accepted)).toBe(language);
});

test('a page in an unsupported language is shown in English', () => {
  expect([toLanguage('zh-Hans'), toLanguage('fr'), toLanguage('')]).toEqual(['zh', 'en', 'en']);
});
