import { expect, test } from 'vitest';
import { findShareCode, toShareLink } from './share-link.ts';

const code = '7gK2mQ9xTb4R';

test('a link says which share it means, however it was copied; anything else means none', () => {
  const links = [
    toShareLink('https://files.example.org/', code),
    `  https://files.example.org/s/${code}/  `,
    `https://files.example.org/s/${code}?utm=1#top`,
    `recordproof://share/${code}`,
    code,
  ];
  expect(links.map(findShareCode)).toEqual(links.map(() => code));
  for (const text of ['', 'https://files.example.org/s/', `${code}x`, '../../etc/passwd', 'javascript:alert(1)'])
    expect(findShareCode(text)).toBeUndefined();
});
