// The log of a watched folder: one JSON text a line, only ever appended to, each line with the digest of the one
// before. When `append` resolves, the line is on the disk. An incomplete last line after a crash was never acknowledged
// and is cut off.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { CommandError } from '../platform/command-error.ts';
import { type LogLine, parseLogLine, type WatchEvent } from './events.ts';

const digestOf = (line: string | Buffer): string => `sha256:${createHash('sha256').update(line).digest('hex')}`;
const beforeTheFirst = `sha256:${'0'.repeat(64)}`;
const lineFeed = 0x0a;
const maxLineBytes = 1024 * 1024;

type End = { readonly lines: number; readonly digest: string; readonly bytes: number };
const nothing: End = { lines: 0, digest: beforeTheFirst, bytes: 0 };

/** A line longer than `maxLineBytes` is damaged, and yielded as an empty one. */
async function* readWholeLines(file: string): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const block of createReadStream(file) as AsyncIterable<Buffer>) {
    let bytes = rest.length === 0 ? block : Buffer.concat([rest, block]);
    for (let end = bytes.indexOf(lineFeed); end >= 0; end = bytes.indexOf(lineFeed)) {
      yield end > maxLineBytes ? Buffer.alloc(0) : bytes.subarray(0, end);
      bytes = bytes.subarray(end + 1);
    }
    rest = bytes.subarray(0, maxLineBytes + 1);
  }
}

function parseNext(line: Buffer, before: End, file: string): LogLine {
  const number = before.lines + 1;
  const damaged = (cause?: unknown): CommandError =>
    new CommandError('damaged', `${file}: line ${number} was altered or damaged`, {
      try: 'move the log away for investigation; the watch then starts a new one',
      cause,
    });
  let parsed: LogLine;
  try {
    parsed = parseLogLine(line.toString('utf8'));
  } catch (error) {
    throw damaged(error);
  }
  if (parsed.number !== number || parsed.previous !== before.digest) throw damaged();
  return parsed;
}

/** Throws for a log that was changed. `take` is called with every line; a missing log is empty. */
export async function readLog(file: string, take: (line: LogLine) => void): Promise<End> {
  let end = nothing;
  try {
    for await (const line of readWholeLines(file)) {
      take(parseNext(line, end, file));
      end = { lines: end.lines + 1, digest: digestOf(line), bytes: end.bytes + line.length + 1 };
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return end;
}

type WatchLog = AsyncDisposable & {
  append(events: readonly WatchEvent[]): Promise<readonly LogLine[]>;
};

/** One writer at a time: the caller holds a lock. */
export async function openWatchLog(file: string, take: (line: LogLine) => void): Promise<WatchLog> {
  const end = await readLog(file, take);
  const handle = await open(file, 'a', 0o600);
  try {
    await handle.truncate(end.bytes);
    return toLog(handle, end, take);
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function toLog(handle: FileHandle, before: End, take: (line: LogLine) => void): WatchLog {
  let end = before;
  let mayBeTorn = false;
  return {
    async append(events) {
      const lines: LogLine[] = [];
      const texts: string[] = [];
      let { lines: number, digest: previous } = end;
      for (const event of events) {
        number += 1;
        const line: LogLine = { number, time: new Date().toISOString(), previous, ...event };
        const json = JSON.stringify(line);
        previous = digestOf(json);
        texts.push(`${json}\n`);
        lines.push(line);
      }
      const text = texts.join('');
      // On a full disk the last attempt may have ended in the middle of a line.
      if (mayBeTorn) await handle.truncate(end.bytes);
      mayBeTorn = true;
      await handle.writeFile(text);
      await handle.datasync();
      mayBeTorn = false;
      end = { lines: number, digest: previous, bytes: end.bytes + Buffer.byteLength(text) };
      for (const line of lines) take(line);
      return lines;
    },
    [Symbol.asyncDispose]: () => handle.close(),
  };
}
