// Image uploads: size-limited, detected by content, stripped of metadata; first the row, then the bytes. A new avatar
// replaces the previous one.
import { createHash } from 'node:crypto';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import {
  imageDownloadPrefix,
  maxAvatarBytes,
  maxImageBytes,
  type StoredImage,
} from '@recordproof/shared/api/images.ts';
import { parseBoundary, readMultipart } from '@recordproof/shared/node/multipart.ts';
import type { Call } from '../../platform/call.ts';
import type { EraseSome } from '../../platform/db/tenant-rows.ts';
import type { Request } from '../../platform/http/route.ts';
import { randomBase62 } from '../../platform/ids.ts';
import { exponentialBackoff, type JobHandler } from '../../platform/jobs/jobs.ts';
import type { Server } from '../../platform/server.ts';
import { updateAccount } from '../accounts/index.ts';
import { recordAudit } from '../audit/index.ts';
import { holdObjects, releaseObjects } from '../stored-objects/index.ts';
import { InvalidImage } from './byte-reader.ts';
import {
  type ImageKind,
  type ImageRow,
  insertImage,
  markStored,
  removeImages,
  removeOlderAvatars,
  removeUnfinished,
} from './queries.ts';
import { type Picture, toPicture } from './strip-metadata.ts';

const limits: Readonly<Record<ImageKind, number>> = { AVATAR: maxAvatarBytes, IMAGE: maxImageBytes };

/** The complete part `file` of the form. */
export async function readImagePart(request: Pick<Request, 'headers' | 'stream'>, kind: ImageKind): Promise<Buffer> {
  const maxBytes = limits[kind];
  const blocks: Buffer[] = [];
  let size = 0;
  let isThere = false;
  for await (const part of readMultipart(request.stream, parseBoundary(request.headers['content-type']))) {
    if (part.kind === 'field') continue;
    if (part.name !== 'file' || isThere)
      throw new ApiError('PARAM_ERROR', 'the form must have one part "file" with the picture');
    isThere = true;
    for await (const block of part.body) {
      size += block.length;
      if (size > maxBytes)
        throw new ApiError('FILE_MAX_SIZE_OVERFLOW', `a picture of this kind may have at most ${maxBytes} bytes`);
      blocks.push(block);
    }
  }
  if (!isThere) throw new ApiError('PARAM_NOT_COMPLETE', 'the part "file" is missing');
  if (size === 0) throw new ApiError('FILE_EMPTY');
  return Buffer.concat(blocks);
}

function clean(bytes: Buffer): Picture {
  try {
    return toPicture(bytes);
  } catch (error) {
    if (error instanceof InvalidImage || error instanceof RangeError) {
      throw new ApiError('FILE_ACCEPT_NOT_SUPPORT', `this picture is not accepted: ${error.message}`);
    }
    throw error;
  }
}

export const holderOfImage = (image: Pick<ImageRow, 'tenant_id' | 'id'>) => ({
  tenantId: image.tenant_id,
  holder: `image:${image.id}`,
});

export async function uploadImage(
  server: Pick<Server, 'database' | 'objects' | 'clock'>,
  call: Call,
  { kind, bytes }: { readonly kind: ImageKind; readonly bytes: Buffer },
): Promise<StoredImage> {
  const picture = clean(bytes);
  const size = picture.bytes.length;
  const sha256 = createHash('sha256').update(picture.bytes).digest('hex');
  const { db } = server.database;
  const { image, path } = await db.transaction().execute(async tx => {
    const name = `${randomBase62(22)}.${picture.ending}`;
    const owner = { tenant_id: call.actor.tenantId, owner_id: call.actor.userId };
    const row = { ...owner, name, kind, content_type: picture.type, size, sha256 };
    const image = await insertImage(tx, row, server.clock.now());
    const [held] = await holdObjects(tx, holderOfImage(image), [{ sha256, size }]);
    if (held === undefined) throw new Error(`no storage path was assigned to image ${name}`);
    return { image, path: held.path };
  });
  await server.objects.put(path, [picture.bytes], { size, sha256 });
  await finish(server, call, image);
  return { path: imageDownloadPrefix + image.name, contentType: picture.type, size };
}

function finish({ database, clock }: Pick<Server, 'database' | 'clock'>, call: Call, image: ImageRow): Promise<void> {
  const { tenantId, userId } = call.actor;
  const isAvatar = image.kind === 'AVATAR';
  const path = imageDownloadPrefix + image.name;
  return database.db.transaction().execute(async tx => {
    if (isAvatar) await updateAccount(tx, tenantId, userId, { avatar: path });
    if (!(await markStored(tx, image.id))) throw new ApiError('SYSTEM_BUSY', 'the upload took too long, try again');
    for (const old of isAvatar ? await removeOlderAvatars(tx, image) : [])
      await releaseObjects(tx, database.kind, holderOfImage(old), clock.now());
    await recordAudit(
      tx,
      call,
      clock.now(),
      isAvatar ? 'images.upload-avatar' : 'images.upload-image',
      'picture uploaded',
      {
        path,
        size: image.size,
      },
    );
  });
}

export const sweepJobKind = 'images.sweep';
const unfinishedMs = 3600 * 1000;

/** Images whose upload crashed between the row and the bytes. */
export const sweepImages = ({ database, clock }: Pick<Server, 'database' | 'clock'>): JobHandler => ({
  kind: sweepJobKind,
  leaseSeconds: 60,
  maxAttempts: 10,
  backoffSeconds: exponentialBackoff(10, 600),
  run: () =>
    database.db.transaction().execute(async tx => {
      for (const image of await removeUnfinished(tx, clock.now() - unfinishedMs)) {
        await releaseObjects(tx, database.kind, holderOfImage(image), clock.now());
      }
    }),
});

/** Images of a deleted tenant. */
export const erasePictures: EraseSome = async (tx, { engine, tenantId, limit, now }) => {
  const images = await removeImages(tx, tenantId, limit);
  for (const image of images) await releaseObjects(tx, engine, holderOfImage(image), now);
  return images.length;
};
