// How one entry of the list of uploads gets to the server: a file straight to the object store, small ones in one call.
import type { Server } from '@recordproof/shared/transfer/ports.ts';
import type { OnProgress } from '@recordproof/shared/transfer/progress.ts';
import { uploadFile } from '@recordproof/shared/transfer/upload.ts';
import { uploadSet } from '@recordproof/shared/transfer/upload-set.ts';
import type { Upload } from '../bridge.ts';
import { browserHttp } from './http.ts';
import { openJournal } from './journal.ts';
import type { HeldFile } from './kept-files.ts';
import { toSource } from './source.ts';

export type Sending = {
  readonly upload: Upload;
  readonly held: readonly HeldFile[];
  readonly signal: AbortSignal;
  readonly onProgress: OnProgress;
};

/** What alone was refused of those that went together. */
export type Refused = { readonly held: HeldFile; readonly error: unknown };
export type Sent = { readonly fileHash: string | null; readonly refused: readonly Refused[] };

const typeOf = ({ type }: File) => (type === '' ? {} : { contentType: type });

async function sendAlone({ upload, signal, onProgress }: Sending, { file }: HeldFile, server: Server): Promise<Sent> {
  const { id, folder, targetFileId } = upload;
  await using journal = openJournal(id);
  const wish = {
    source: toSource(file),
    mode: 'direct',
    ...typeOf(file),
    ...(folder !== null && { folder }),
    ...(targetFileId !== null && { targetFileId }),
    signal,
    onProgress,
  } as const;
  const { fileHash } = await uploadFile(wish, { server, http: browserHttp, journal });
  return { fileHash, refused: [] };
}

async function sendTogether({ upload, held, signal, onProgress }: Sending, server: Server): Promise<Sent> {
  const members = held.map(({ file, folder }) => ({ folder, ...typeOf(file), open: async () => toSource(file) }));
  const outcomes = await uploadSet({ id: upload.id, members, signal, onProgress }, { server, http: browserHttp });
  const refused = outcomes.flatMap((error, at) => {
    const one = held[at];
    return error instanceof Error && one ? [{ held: one, error }] : [];
  });
  return { fileHash: null, refused };
}

export function send(sending: Sending, server: Server): Promise<Sent> {
  const [first] = sending.held;
  if (!first) throw new Error('an upload without a file');
  return sending.upload.files === 1 ? sendAlone(sending, first, server) : sendTogether(sending, server);
}
