// Small file read into memory for a preview, and checked against its record.
import { createHash } from 'node:crypto';
import type { Client } from '@recordproof/shared/api/client.ts';
import { TransferError } from '@recordproof/shared/transfer/transfer-error.ts';
import type { FileSource } from '../bridge/bridge.ts';
import { findRequestSource } from '../bridge/request-source.ts';

type Options = { readonly maxBytes: number; readonly signal?: AbortSignal | undefined };

export async function readChecked(
  client: Client,
  request: FileSource,
  { maxBytes, signal = new AbortController().signal }: Options,
): Promise<Uint8Array<ArrayBuffer>> {
  const source = await findRequestSource(client, request, signal);
  const { contentHash, fileSize } = await source.findFile((endpoint, input) =>
    client.call(endpoint, { ...input, signal }),
  );
  if (fileSize > maxBytes)
    throw new TransferError('too-large', `the file has ${fileSize} bytes, a preview at most ${maxBytes}: download it`);
  const { body } = await source.open(client, signal);
  const bytes = new Uint8Array(fileSize);
  let read = 0;
  for await (const block of body ?? []) {
    if (read + block.length > fileSize)
      throw new TransferError('wrong-bytes', `the server sends more than the ${fileSize} bytes of the record`);
    bytes.set(block, read);
    read += block.length;
  }
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  if (read === fileSize && digest === contentHash) return bytes;
  throw new TransferError('wrong-bytes', `the file's SHA-256 is ${digest}, but its record says ${contentHash}`);
}
