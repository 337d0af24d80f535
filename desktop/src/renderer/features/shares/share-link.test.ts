// Share codes in pasted links, and detection of loopback addresses.
import { expect, test } from 'vitest';
import { findShareCode, isLoopback, toShareLink } from './share-link.ts';

const code = '7gK2mQ9xTb4R';

test('a share code is found in any form of its link, and in nothing else', () => {
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

test('a loopback address is distinguished from a reachable one', () => {
  const local = ['http://127.0.0.1:8080', 'http://localhost:8080', 'http://app.localhost', 'http://[::1]:8080'];
  expect(local.map(isLoopback)).toEqual([true, true, true, true]);
  const reachable = ['https://files.example.org', 'http://192.168.1.5', 'https://127.example.org', 'not an address'];
  expect(reachable.map(isLoopback)).toEqual([false, false, false, false]);
});
