// Head of an S3 object, including the metadata that this program stored with it.
import { HeadObjectCommand } from '@aws-sdk/client-s3';
import type { ObjectHead } from './object-store.ts';
import type { S3Endpoints } from './s3-endpoints.ts';
import { statusOf } from './s3-errors.ts';

export type S3Bucket = { readonly endpoints: S3Endpoints; readonly bucket: string };

const sha256Form = /^[0-9a-f]{64}$/;

export const toEtag = (quoted: string | undefined): string => (quoted ?? '').replaceAll('"', '');

export type S3Head = ObjectHead & { readonly writeId: string | undefined };

export async function findS3Head(target: S3Bucket, key: string): Promise<S3Head | null> {
  try {
    const head = await target.endpoints.run(client =>
      client.send(new HeadObjectCommand({ Bucket: target.bucket, Key: key })),
    );
    const sha256 = head.Metadata?.sha256;
    return {
      size: head.ContentLength ?? 0,
      etag: toEtag(head.ETag),
      writeId: head.Metadata?.['write-id'],
      ...(sha256 !== undefined && sha256Form.test(sha256) ? { sha256 } : {}),
    };
  } catch (error) {
    if (statusOf(error) === 404) return null;
    throw error;
  }
}
