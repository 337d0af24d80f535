// Sources of an audit: a server, a folder with a copy of its tiles, or a server with a growing copy. Their data is
// trusted only under a signed checkpoint.
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { LogUnavailable, openHttpLog } from '@recordproof/shared/evidence/log-over-http.ts';
import type { ReadTile } from '@recordproof/shared/evidence/log-reader.ts';
import { parseTilePath } from '@recordproof/shared/evidence/tlog-tiles.ts';
import { writeDurably } from '@recordproof/shared/node/durable-file.ts';
import { readBounded } from '../node/read-inputs.ts';
import { verifierVersion } from '../version.ts';
import { type AuditOptions, isAddress } from './audit-options.ts';

export type AuditSource = {
  readCheckpoint(): Promise<Uint8Array>;
  readKey(): Promise<string>;
  readonly readTile: ReadTile;
  /** Bypasses any kept copy. */
  readonly readTileAnew: ReadTile;
  /** The server's answers under `/api/v1/public/`; absent for a folder. */
  readonly readAnswer?: ReadTile;
  /** The server's time stamps; absent for a folder. Throws LogUnavailable. */
  readonly readStamps?: () => Promise<Uint8Array>;
};

const maxFileBytes = 2 * 1024 * 1024;

export function openAuditSource({ source, mirror }: Pick<AuditOptions, 'source' | 'mirror'>): AuditSource {
  if (!isAddress(source)) return openFolder(source);
  const server = source.replace(/\/+$/, '').replace(/\/ledger$/, '');
  const userAgent = `recordproof-verify/${verifierVersion}`;
  const log = openHttpLog({ baseUrl: `${server}/ledger`, userAgent });
  const { readTile } = log;
  return {
    readCheckpoint: () => log.readCheckpoint(),
    readKey: () => log.readKey(),
    readTile: mirror === undefined ? readTile : readThrough(mirror, readTile),
    readTileAnew: readTile,
    readStamps: () => readTile('stamps'),
    readAnswer: openHttpLog({ baseUrl: `${server}/api/v1/public`, userAgent }).readTile,
  };
}

function openFolder(folder: string): AuditSource {
  const read = async (name: string): Promise<Uint8Array> => {
    const bytes = await readBounded(join(folder, name), maxFileBytes);
    if (bytes === 'UNREADABLE' || bytes.length > maxFileBytes)
      throw new LogUnavailable(`${join(folder, name)} cannot be read`);
    return bytes;
  };
  const readTile: ReadTile = path => read(toFileName(path));
  return {
    readCheckpoint: () => read('checkpoint'),
    readKey: async () => parseUtf8(await read('key')).trim(),
    readTile,
    readTileAnew: readTile,
  };
}

function toFileName(path: string): string {
  if (parseTilePath(path) === null) throw new LogUnavailable(`${path} is no path of a tile`);
  return path;
}

/** A tile never changes, so its copy is equivalent; a damaged copy results in another root. */
function readThrough(folder: string, readTile: ReadTile): ReadTile {
  return async path => {
    const file = join(folder, toFileName(path));
    const cached = await readFile(file).catch(() => undefined);
    if (cached !== undefined && cached.length > 0) return new Uint8Array(cached);
    const bytes = await readTile(path);
    await mkdir(dirname(file), { recursive: true });
    await writeDurably(file, bytes);
    return bytes;
  };
}
