import { createHash } from 'node:crypto';
import { startDirectUpload } from '@recordproof/shared/api/uploads.ts';
import { expect, test } from 'vitest';
import { startApp } from '../../../../test/support/app.ts';

const plan = { fileName: 'a.bin', fileSize: 4, contentType: 'application/octet-stream', chunkSize: 1, totalChunks: 4 };

const part = (index: number) => {
  const hash = `sha256:${createHash('sha256').update(String(index)).digest('hex')}`;
  return { index, size: 1, plainHash: hash, cipherHash: hash, checksumAlgorithm: 'SHA-256' as const };
};

test('beginning an upload uses up its allowance, announcing more parts of it does not', async () => {
  await using app = await startApp({ env: { RECORDPROOF_RATE_LIMIT_UPLOAD: '2' } });
  const ada = await app.person('ada');
  const announce = (clientId: string, index: number) => ({ body: { ...plan, clientId, parts: [part(index)] } });
  for (let index = 0; index < 4; index += 1) await ada.call(startDirectUpload, announce('one', index));
  await ada.call(startDirectUpload, announce('two', 0));
  const refused = await ada.refused(startDirectUpload, announce('three', 0));
  expect(refused).toMatchObject({ kind: 'RATE_LIMITED', status: 429 });
  expect(refused.retryAfterSeconds).toBeGreaterThan(50);
  await ada.call(startDirectUpload, announce('two', 1));
});
