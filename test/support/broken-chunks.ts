// Broken chunks: too short, too long, or cut off in the middle, by each of the three ways of sending a large chunk.
import { request } from 'node:http';
import * as chunkedApi from '@recordproof/shared/api/chunked-uploads.ts';
import * as directApi from '@recordproof/shared/api/direct-uploads.ts';
import type { Person } from './app.ts';
import { pattern } from './bytes.ts';
import { cut, sendChunk, startDirect, toForm, toPlan } from './uploads.ts';

export const chunkBytes = 2 * 2 ** 20;
const chunks = 2;

/** The part of a chunk that is sent, and the length that the headers announce. */
type Damage = { readonly sent: number; readonly announced: number };

const damages: readonly Damage[] = [
  ...[1, 40_000, 300_000, 500_000].map(missing => ({ sent: chunkBytes - missing, announced: chunkBytes - missing })),
  { sent: chunkBytes + 1, announced: chunkBytes + 1 },
  ...[1, 300_000, 900_000, 1_040_000].map(missing => ({ sent: chunkBytes - missing, announced: chunkBytes })),
];

type Call = { readonly method: string; readonly url: string; readonly headers: Record<string, string> };
type Way = (sent: Uint8Array) => Promise<{ readonly call: Call; readonly body: Buffer }>;

/** The status of the answer, or null when the connection ended without one. */
function send({ method, url, headers }: Call, body: Uint8Array, cutOffBytes: number): Promise<number | null> {
  const length = String(body.length + cutOffBytes);
  const sending = request(url, { method, headers: { ...headers, 'content-length': length }, agent: false });
  return new Promise(resolve => {
    sending.on('error', () => resolve(null));
    sending.on('close', () => resolve(null));
    sending.on('response', response => {
      resolve(response.statusCode ?? null);
      response.resume();
    });
    if (cutOffBytes === 0) sending.end(body);
    else sending.write(body, () => sending.destroy());
  });
}

export type BrokenChunks = AsyncDisposable & {
  /** Sends the chunk of that number; the number decides how it is broken. */
  send(number: number): Promise<{ readonly isCutOff: boolean; readonly status: number | null }>;
};

export async function openBrokenChunks(person: Person): Promise<BrokenChunks> {
  const bytes = await pattern(chunks * chunkBytes, 1);
  const tooLong = await pattern(chunkBytes + 1, 2);
  const headers = { authorization: `Bearer ${person.token}` };
  const plan = toPlan(bytes, { chunkSize: chunkBytes });
  const { clientId, totalChunks } = await person.call(chunkedApi.startUpload, { body: plan });
  const direct = await startDirect(person, bytes, { chunkSize: chunkBytes });
  const ways: readonly Way[] = [
    async sent => {
      const form = toForm('chunk', sent, { clientId, chunkNumber: 0, totalChunks });
      const written = new Response(form);
      const contentType = written.headers.get('content-type') ?? '';
      const call = { method: 'POST', url: `${person.baseUrl}/api/v1/files/upload/chunk` };
      const body = Buffer.from(await written.arrayBuffer());
      return { call: { ...call, headers: { ...headers, 'content-type': contentType } }, body };
    },
    async sent => {
      const url = `${person.baseUrl}/api/v1/upload-sessions/${clientId}/parts/0`;
      const typed = { ...headers, 'content-type': 'application/octet-stream' };
      return { call: { method: 'PUT', url, headers: typed }, body: Buffer.from(sent) };
    },
    async sent => {
      const { uploadUrl, headers: signed } = direct.parts[0] as (typeof direct.parts)[0];
      return { call: { method: 'PUT', url: uploadUrl, headers: { ...signed } }, body: Buffer.from(sent) };
    },
  ];
  return {
    async send(number) {
      const { sent, announced } = damages[number % damages.length] as Damage;
      const way = ways[Math.floor(number / damages.length) % ways.length] as Way;
      const { call, body } = await way(sent > chunkBytes ? tooLong : bytes.subarray(0, sent));
      const isCutOff = announced > sent;
      // A form ends after its bytes: a cut of the form begins in the bytes.
      const left = isCutOff ? body.subarray(0, Math.min(body.length, sent)) : body;
      return { isCutOff, status: await send(call, left, isCutOff ? announced - sent + body.length - left.length : 0) };
    },
    async [Symbol.asyncDispose]() {
      await person.call(chunkedApi.cancelUpload, { body: { clientId } });
      await person.call(directApi.abortDirectUpload, { params: { clientId: direct.clientId } });
    },
  };
}

/** Sends correct chunks, one after the other until the signal; returns their number, and the answers other than 200. */
export async function sendCorrect(person: Person, until: AbortSignal) {
  const bytes = await pattern(chunks * chunkBytes, 3);
  const failed: string[] = [];
  let sent = 0;
  const sendUpload = async () => {
    const { clientId, totalChunks } = await person.call(chunkedApi.startUpload, {
      body: toPlan(bytes, { chunkSize: chunkBytes }),
    });
    for (let chunkNumber = 0; chunkNumber < totalChunks; chunkNumber += 1) {
      const chunk = cut(bytes, chunkBytes, chunkNumber);
      const answer = await sendChunk(person, chunk, { clientId, chunkNumber, totalChunks });
      if (answer.status !== 200) failed.push(`chunk: ${answer.status} ${answer.message}`);
      sent += 1;
    }
    await person.call(chunkedApi.cancelUpload, { body: { clientId } });
  };
  while (!until.aborted) await sendUpload().catch((error: Error) => failed.push(`session: ${error.message}`));
  return { sent, failed };
}
