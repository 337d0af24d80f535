// Events of a watched folder, one log line each. The log is also the state of the watch, so every line holds what a
// later run has to know.
import { z } from 'zod';

const path = z.string();
/** Where the file system writes the path in another Unicode form than NFC. */
const onDisk = z.string().optional();
/** Metadata of a file on the disk: unchanged metadata means that the file was not written, moved or renamed since. */
const revision = z.string();
const size = z.int();
const contentHash = z.string();
const version = z.int();
const why = z.string();

/** Logged before the first byte is sent: all files of one call, in their order. */
const sending = z.object({
  event: z.literal('sending'),
  ...{ path, onDisk, revision, size, contentHash },
  requestId: z.string(),
  /** The file whose next version this becomes. */
  targetFileId: z.string().optional(),
  /** The previous path of the same file. */
  renamedFrom: z.string().optional(),
});
export type Sending = z.infer<typeof sending>;

const stored = z.object({
  event: z.literal('stored'),
  ...{ path, onDisk, revision, contentHash, version },
  ...{ requestId: z.string(), fileId: z.string(), fileHash: z.string() },
});

const watchEvent = z.discriminatedUnion('event', [
  z.object({
    event: z.literal('started'),
    ...{ folder: z.string(), server: z.string(), account: z.string() },
    ...{ proofs: z.string().nullable(), program: z.string() },
  }),
  z.object({ event: z.literal('stopped') }),
  sending,
  stored,
  /** Not stored under this requestId; a final result. */
  z.object({ event: z.literal('not-stored'), path, revision, requestId: z.string(), why }),
  /** The server has other versions than our state: the next one continues this file, or none. */
  z.object({ event: z.literal('continues'), path, fileId: z.string().nullable(), version }),
  z.object({
    event: z.literal('proved'),
    ...{ path, version },
    ...{ fileId: z.string(), proofId: z.string(), archive: z.string() },
  }),
  z.object({ event: z.literal('no-proof'), path, fileId: z.string(), version, why }),
  /** The archive is missing at its path: it will be written again. */
  z.object({ event: z.literal('proof-missing'), path, fileId: z.string() }),
  /** Written, moved or restored, with content that is stored already. */
  z.object({ event: z.literal('same'), path, revision }),
  z.object({ event: z.literal('left-out'), path, revision, why }),
  z.object({ event: z.literal('gone'), path }),
  z.object({ event: z.literal('waiting'), why }),
  z.object({ event: z.literal('going-on') }),
]);
export type WatchEvent = z.infer<typeof watchEvent>;

/** `previous` is the SHA-256 of the line before, so that changed or removed lines are detected. */
const head = z.object({ number: z.int(), time: z.iso.datetime(), previous: z.string() });
export type LogLine = z.infer<typeof head> & WatchEvent;

/** Throws for an invalid line. */
export function parseLogLine(text: string): LogLine {
  const value: unknown = JSON.parse(text);
  return { ...head.parse(value), ...watchEvent.parse(value) };
}
