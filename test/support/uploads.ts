// Uploads as a client makes them, step by step, for tests that stop or fail between two steps.
import { createHash, randomUUID } from 'node:crypto';
import * as directApi from '@recordproof/shared/api/direct-uploads.ts';
import type { BulkManifest, BulkResult } from '@recordproof/shared/api/short-uploads.ts';
import * as sessionApi from '@recordproof/shared/api/upload-sessions.ts';
import * as api from '@recordproof/shared/api/uploads.ts';
import type { Person } from './app.ts';

export const digestOf = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

export type Sending = {
  readonly name?: string;
  readonly chunkSize?: number;
  readonly clientId?: string;
  readonly targetFileId?: string;
  readonly contentHash?: string;
  readonly path?: string;
  readonly onConflict?: 'newVersion' | 'keepBoth' | 'skip';
};

export function toPlan(bytes: Uint8Array, { name = 'report.pdf', chunkSize = 4096, ...rest }: Sending = {}) {
  const fileSize = bytes.length;
  const totalChunks = api.countChunks(fileSize, chunkSize);
  return { fileName: name, fileSize, contentType: 'application/pdf', chunkSize, totalChunks, ...rest };
}

export const cut = (bytes: Uint8Array, chunkSize: number, index: number): Uint8Array =>
  bytes.subarray(index * chunkSize, (index + 1) * chunkSize);

type Fields = Readonly<Record<string, string | number>>;

/** A form as browsers write it; `before` and `after` are fields before and after the bytes. */
export function toForm(
  part: string,
  bytes: Uint8Array,
  before: Fields,
  after: Fields = {},
  fileName = 'blob',
): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(before)) form.append(name, String(value));
  form.append(part, new Blob([Uint8Array.from(bytes)]), fileName);
  for (const [name, value] of Object.entries(after)) form.append(name, String(value));
  return form;
}

export type Answer<T = Record<string, unknown>> = {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly data: T;
};

export async function answerOf<T>(response: Promise<Response>): Promise<Answer<T>> {
  const arrived = await response;
  return { status: arrived.status, ...((await arrived.json()) as Omit<Answer<T>, 'status'>) };
}

export const postForm = <T = Record<string, unknown>>(
  person: Person,
  path: string,
  form: FormData,
): Promise<Answer<T>> => answerOf<T>(person.fetch(path, { method: 'POST', body: form }));

/** Under a media type that the sender chooses. Returns the file's hash. */
export async function storeTyped(person: Person, bytes: Uint8Array, name: string, type: string): Promise<string> {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(bytes)], { type }), name);
  const { data } = await postForm<{ fileHash: string }>(person, '/api/v1/files/upload', form);
  return data.fileHash;
}

export const sendFile = (person: Person, bytes: Uint8Array, fileName = 'report.pdf', fields: Fields = {}) =>
  postForm<api.UploadResult>(person, '/api/v1/files/upload', toForm('file', bytes, fields, {}, fileName));

/** With an idempotency key, as by a client that retries when no answer comes. */
export const sendRepeatable = (
  person: Person,
  key: string,
  bytes: Uint8Array,
  fileName = 'report.pdf',
  fields: Fields = {},
): Promise<Answer<api.UploadResult>> =>
  answerOf(
    person.fetch('/api/v1/files/upload', {
      method: 'POST',
      headers: { 'idempotency-key': key },
      body: toForm('file', bytes, fields, {}, fileName),
    }),
  );

export const sendChunk = (person: Person, bytes: Uint8Array, fields: Fields) =>
  postForm(person, '/api/v1/files/upload/chunk', toForm('chunk', bytes, fields));

export const putPart = (person: Person, clientId: string, index: number, bytes: Uint8Array) =>
  answerOf(
    person.fetch(`/api/v1/upload-sessions/${clientId}/parts/${index}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/octet-stream' },
      body: Uint8Array.from(bytes),
    }),
  );

/** All the chunks of a file through the server; not completed. */
export async function sendProxied(person: Person, bytes: Uint8Array, sending: Sending = {}): Promise<string> {
  const plan = toPlan(bytes, sending);
  const { clientId, uploadedChunks } = await person.call(sessionApi.createUploadSession, { body: plan });
  for (let index = 0; index < plan.totalChunks; index += 1) {
    if (uploadedChunks.includes(index)) continue;
    const { status, message } = await putPart(person, clientId, index, cut(bytes, plan.chunkSize, index));
    if (status !== 200) throw new Error(message);
  }
  return clientId;
}

export const storeProxied = async (person: Person, bytes: Uint8Array, sending: Sending = {}) => {
  const clientId = await sendProxied(person, bytes, sending);
  return person.call(sessionApi.completeUploadSession, { params: { clientId } });
};

export function toParts(bytes: Uint8Array, chunkSize: number) {
  return Array.from({ length: api.countChunks(bytes.length, chunkSize) }, (_, index) => {
    const part = cut(bytes, chunkSize, index);
    const hash = digestOf(part);
    return {
      index,
      size: part.length,
      plainHash: hash,
      cipherHash: hash,
      checksumAlgorithm: 'SHA-256' as const,
    };
  });
}

export const startDirect = (person: Person, bytes: Uint8Array, sending: Sending = {}) => {
  const plan = toPlan(bytes, sending);
  return person.call(directApi.startDirectUpload, { body: { ...plan, parts: toParts(bytes, plan.chunkSize) } });
};

export type Signed = { readonly uploadUrl: string; readonly headers: Readonly<Record<string, string>> };

/** A client with nothing but the address. */
export const putSigned = (part: Signed, bytes: Uint8Array): Promise<Response> => {
  const { 'content-length': _, ...headers } = part.headers; // fetch sends it by itself
  return fetch(part.uploadUrl, { method: 'PUT', headers, body: Uint8Array.from(bytes) });
};

/** Everything but the completion. */
export async function sendDirect(person: Person, bytes: Uint8Array, sending: Sending = {}) {
  const started = await startDirect(person, bytes, sending);
  for (const part of started.parts) {
    const response = await putSigned(part, cut(bytes, started.chunkSize, part.index));
    if (!response.ok) throw new Error(await response.text());
  }
  return started;
}

export const completeDirect = (person: Person, clientId: string) =>
  person.call(directApi.completeDirectUpload, { params: { clientId }, body: { parts: [] } });

export type BulkFile = { readonly bytes: Uint8Array; readonly name?: string } & Partial<BulkManifest['files'][number]>;

/** Many files in one call, as their manifest names them. */
export function toBulkForm(files: readonly BulkFile[], requestId: string = randomUUID()): FormData {
  const form = new FormData();
  const described = files.map(({ bytes, name = 'bulk.bin', ...rest }) => ({
    fileName: name,
    fileSize: bytes.length,
    ...rest,
  }));
  form.append('manifest', JSON.stringify({ requestId, files: described }));
  for (const { bytes } of files) form.append('file', new Blob([Uint8Array.from(bytes)]), 'bulk.bin');
  return form;
}

export const sendMany = (person: Person, files: readonly BulkFile[], requestId?: string) =>
  postForm<{ results: BulkResult[] }>(person, '/api/v1/files/upload/bulk', toBulkForm(files, requestId));
