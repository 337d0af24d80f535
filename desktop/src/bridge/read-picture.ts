// Picture in a message. Another person wrote its path, which may only lead to pictures; the answer is shown only as one of
// the types that the server makes.
import type { Client } from '@recordproof/shared/api/client.ts';
import { downloadImage, imageDownloadPrefix, imageTypes, maxImageBytes } from '@recordproof/shared/api/images.ts';
import { TransferError } from '@recordproof/shared/transfer/transfer-error.ts';
import type { Picture } from './bridge.ts';

const pictureName = /^[\w-]+(?:[./][\w-]+)*$/;

export async function readPicture(
  client: Pick<Client, 'open'>,
  path: string,
  signal: AbortSignal | undefined,
): Promise<Picture> {
  const name = path.slice(imageDownloadPrefix.length);
  if (!path.startsWith(imageDownloadPrefix) || !pictureName.test(name))
    throw new TransferError('wrong-answer', `${JSON.stringify(path.slice(0, 200))} is not the path of a picture`);
  const { body, headers } = await client.open(downloadImage, { params: { path: name }, ...(signal && { signal }) });
  const type = imageTypes.find(one => one === headers.get('content-type'));
  if (type !== undefined && body) return { type, bytes: await readAtMost(body, maxImageBytes) };
  await body?.cancel();
  throw new TransferError(
    'wrong-answer',
    `the server answered ${name} with ${headers.get('content-type') ?? 'no content type'} instead of a picture`,
  );
}

async function readAtMost(body: ReadableStream<Uint8Array>, most: number): Promise<Uint8Array<ArrayBuffer>> {
  const blocks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(blocks).arrayBuffer());
    size += value.length;
    if (size > most) {
      await reader.cancel();
      throw new TransferError('wrong-answer', `the picture exceeds the limit of ${most} bytes`);
    }
    blocks.push(new Uint8Array(value));
  }
}
