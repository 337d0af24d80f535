// One real S3 store for all tests of a file, a new bucket for each server, and the settings that name it.
import { CreateBucketCommand } from '@aws-sdk/client-s3';
import { toS3Client } from '../../server/src/platform/objects/s3-endpoints.ts';
import { type Ceph, startCeph } from './ceph.ts';

let ceph: Promise<Ceph> | undefined;
let buckets = 0;

export const sharedCeph = (): Promise<Ceph> => {
  ceph ??= startCeph();
  return ceph;
};

/** Through another gateway of the same store where one is named. */
export async function s3Settings(gateway?: string): Promise<Record<string, string>> {
  const { endpoint, region, accessKeyId, secretAccessKey } = await sharedCeph();
  buckets += 1;
  const bucket = `bucket-${buckets}`;
  const connection = { endpoints: [endpoint], bucket, region, credentials: { accessKeyId, secretAccessKey } };
  const client = toS3Client(connection, endpoint);
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  client.destroy();
  return {
    RECORDPROOF_S3_ENDPOINTS: gateway ?? endpoint,
    RECORDPROOF_S3_BUCKET: bucket,
    RECORDPROOF_S3_REGION: region,
    RECORDPROOF_S3_ACCESS_KEY_ID: accessKeyId,
    RECORDPROOF_S3_SECRET_ACCESS_KEY: secretAccessKey,
  };
}

export async function stopS3(): Promise<void> {
  await (await ceph)?.[Symbol.asyncDispose]();
  ceph = undefined;
}
