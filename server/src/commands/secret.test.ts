// Piped secrets: a multi-byte character that is split between two chunks.
import { Readable } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { readKnownSecret } from './secret.ts';

test('a piped secret is read whole, also if a character is split between two chunks', async () => {
  const bytes = Buffer.from('straße 猫\n');
  const chunks = Array.from(bytes, byte => Buffer.from([byte]));
  vi.spyOn(process, 'stdin', 'get').mockReturnValue(Readable.from(chunks) as unknown as typeof process.stdin);
  try {
    expect(await readKnownSecret('Password: ')).toBe('straße 猫');
  } finally {
    vi.restoreAllMocks();
  }
});
