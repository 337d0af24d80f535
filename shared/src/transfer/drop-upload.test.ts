// Upload through a drop link of a file that changes while it is sent.
import { openAsBlob } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDropSender } from './drop-upload.ts';

test('a file that is changed while it is sent ends the upload at once, as changed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'recordproof-drop-'));
  const path = join(folder, 'a.txt');
  await writeFile(path, 'the first text');
  const blob = await openAsBlob(path);
  let sends = 0;
  const fetch = async (url: string, { body }: RequestInit): Promise<Response> => {
    if (url.endsWith('/files'))
      return Response.json({
        data: { id: '1', state: 'UPLOADING', chunkSize: 20, totalChunks: 1, uploadedChunks: [] },
      });
    sends += 1;
    await writeFile(path, 'another and longer text');
    await new Response(body).arrayBuffer();
    return Response.json({ data: null });
  };
  const sender = openDropSender({ baseUrl: 'http://server', code: 'code', fetch }, 'token');
  const sent = sender.send({ key: 'a', name: 'a.txt', type: '', blob });
  await expect(sent).rejects.toMatchObject({ failure: 'source-changed' });
  expect(sends).toBe(1);
  await rm(folder, { recursive: true });
});
