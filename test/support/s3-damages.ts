// Damages to an object of an S3 store, as by a failing or careless one: those of a file on a disk, as far as a bucket
// allows them.
import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { sha256Of } from './bytes.ts';

export type Bucket = { readonly client: S3Client; readonly name: string };

type Stored = { readonly bytes: Buffer; readonly metadata: Readonly<Record<string, string>> };
type Damage = (stored: Stored) => Stored | null;

const withBytes =
  (change: (bytes: Buffer) => Buffer): Damage =>
  ({ bytes, metadata }) => ({ bytes: change(Buffer.from(bytes)), metadata });

const flip = (at: (length: number) => number): Damage =>
  withBytes(bytes => {
    const position = at(bytes.length);
    bytes.writeUInt8(bytes.readUInt8(position) ^ 1, position);
    return bytes;
  });

const withDigest =
  (change: (digest: string) => string): Damage =>
  ({ bytes, metadata }) => ({ bytes, metadata: { ...metadata, sha256: change(metadata.sha256 ?? '') } });

/** Null where the object is deleted. None of them leaves it as it was stored. */
export const s3Damages: Readonly<Record<string, Damage>> = {
  'cut by a byte': withBytes(bytes => bytes.subarray(0, -1)),
  'cut in half': withBytes(bytes => bytes.subarray(0, bytes.length >> 1)),
  'grown by a byte': withBytes(bytes => Buffer.concat([bytes, Buffer.from('x')])),
  emptied: withBytes(() => Buffer.alloc(0)),
  removed: () => null,
  'a bit flipped at the beginning': flip(() => 0),
  'a bit flipped in the middle': flip(length => length >> 1),
  'a bit flipped at the end': flip(length => length - 1),
  'zeros all over': withBytes(bytes => Buffer.alloc(bytes.length)),
  'other bytes of the same length': withBytes(bytes => Buffer.alloc(bytes.length, 'other')),
  'other bytes of the same length, with their digest': ({ bytes, metadata }) => {
    const other = Buffer.alloc(bytes.length, 'other');
    return { bytes: other, metadata: { ...metadata, sha256: sha256Of(other) } };
  },
  'other bytes without a digest': ({ bytes }) => ({ bytes: Buffer.alloc(bytes.length, 'other'), metadata: {} }),
  'without its digest, and cut': ({ bytes }) => ({ bytes: bytes.subarray(0, -1), metadata: {} }),
  'another digest beside other bytes': stored =>
    withDigest(digest => digest.replace(/^./, first => (first === '0' ? '1' : '0')))({
      ...stored,
      bytes: Buffer.alloc(stored.bytes.length, 'other'),
    }),
};

export async function damageObject({ client, name }: Bucket, key: string, hurt: Damage): Promise<void> {
  const address = { Bucket: name, Key: key };
  const { Body, Metadata = {} } = await client.send(new GetObjectCommand(address));
  if (!Body) throw new Error(`the object ${key} has no body`);
  const hurtOne = hurt({ bytes: Buffer.from(await Body.transformToByteArray()), metadata: Metadata });
  if (hurtOne === null) await client.send(new DeleteObjectCommand(address));
  else {
    const { bytes, metadata } = hurtOne;
    await client.send(new PutObjectCommand({ ...address, Body: bytes, Metadata: { ...metadata } }));
  }
}
