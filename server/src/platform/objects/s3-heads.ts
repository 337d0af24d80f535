// Head of an S3 object, including the metadata that this program stored with it.
import { HeadObjectCommand } from '@aws-sdk/client-s3';
import type { ObjectHead } from './object-store.ts';
import type { S3Endpoints } from './s3-endpoints.ts';
import { statusOf } from './s3-errors.ts';

export type S3Bucket = { readonly endpoints: S3Endpoints; readonly bucket: string };

const sha256Form = /^[0-9a-f]{64}$/;

export const toEtag = (quoted: string | undefined): string => (quoted ?? '').replaceAll('"', '');

export type S3Head = ObjectHead & { readonly writeId: string | undefined };

type Described = { readonly ETag?: string | undefined; readonly Metadata?: Record<string, string> | undefined };

export function toS3Head(size: number, { ETag, Metadata }: Described): S3Head {
  const sha256 = Metadata?.sha256;
  return {
    size,
    etag: toEtag(ETag),
    writeId: Metadata?.['write-id'],
    ...(sha256 !== undefined && sha256Form.test(sha256) ? { sha256 } : {}),
  };
}

/** `writeId` tells whether a write without a response took effect. */
export const toMetadata = (writeId: string, sha256: string | undefined): Record<string, string> => ({
  'write-id': writeId,
  ...(sha256 !== undefined && { sha256 }),
});

export async function findS3Head(target: S3Bucket, key: string): Promise<S3Head | null> {
  try {
    const head = await target.endpoints.run(client =>
      client.send(new HeadObjectCommand({ Bucket: target.bucket, Key: key })),
    );
    return toS3Head(head.ContentLength ?? 0, head);
  } catch (error) {
    if (statusOf(error) === 404) return null;
    throw error;
  }
}
