// Picture in a message. Another person wrote its path, which may only lead to pictures; the answer is shown only as one of
// the types that the server makes.
import type { Client } from '@recordproof/shared/api/client.ts';
import { downloadImage, imageDownloadPrefix, imageTypes, maxImageBytes } from '@recordproof/shared/api/images.ts';
import { readBounded } from '@recordproof/shared/transfer/fetch-evidence.ts';
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
  const response = await client.open(downloadImage, { params: { path: name }, ...(signal && { signal }) });
  const { body, headers } = response;
  const type = imageTypes.find(one => one === headers.get('content-type'));
  if (type !== undefined && body)
    return { type, bytes: new Uint8Array(await readBounded(response, maxImageBytes, 'picture')) };
  await body?.cancel();
  throw new TransferError(
    'wrong-answer',
    `the server answered ${name} with ${headers.get('content-type') ?? 'no content type'} instead of a picture`,
  );
}
