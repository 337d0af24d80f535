// Keeps an eye on a server's ledger: what it signed last, on this machine, and whether everything it shows later only
// adds to that. Refuses another key than the one it saw first, or was told.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { type Checkpoint, openCheckpoint } from '@recordproof/shared/evidence/checkpoint.ts';
import { parseUtf8, type Sha256, toHex, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { type HttpLog, LogUnavailable, openHttpLog } from '@recordproof/shared/evidence/log-over-http.ts';
import { LogContradiction, proveConsistency } from '@recordproof/shared/evidence/log-reader.ts';
import { type NoteKey, parseVerifierKey } from '@recordproof/shared/evidence/signed-note.ts';
import { nodePlatform } from '@recordproof/verifier/node/node-platform.ts';
import { alone } from '../files/lock.ts';
import { readPrivate, writePrivate } from '../files/private-file.ts';
import { Fixable } from '../fixable.ts';
import { stateFolder } from '../folders.ts';
import { parseJsonFile } from '../json-file.ts';
import { type Program, userAgent } from '../program.ts';

export const sha256: Sha256 = nodePlatform.sha256;

/** What is remembered of one server. */
type Memory = { readonly key: string; readonly note: string };

export type Sighting = {
  readonly server: string;
  readonly name: string;
  readonly key: string;
  readonly size: number;
  readonly root: string;
  /** Entries since what was remembered; null when nothing was. */
  readonly added: number | null;
};

export type Witness = {
  readonly server: string;
  readonly log: HttpLog;
  /** Reads the newest checkpoint, proves that it continues the remembered one, and remembers it instead. */
  look(): Promise<{ readonly sighting: Sighting; readonly checkpoint: Checkpoint }>;
};

const suspicious = (message: string, cause?: unknown): Fixable =>
  new Fixable('damaged', message, {
    try: 'keep this message and the remembered checkpoint: together they show that the log was rewritten',
    cause,
  });

const memoryFile = (server: string): string =>
  join(stateFolder(), 'ledgers', `${createHash('sha256').update(server).digest('hex').slice(0, 32)}.json`);

async function readMemory(path: string): Promise<Memory | undefined> {
  const text = await readPrivate(path, 'writers');
  if (text === undefined) return undefined;
  const { key, note } = parseJsonFile(path, text);
  if (typeof key === 'string' && typeof note === 'string') return { key, note };
  throw new Fixable('config', `${path} is not a remembered checkpoint`, { try: 'delete it to start over' });
}

function parseKey(text: string, where: string): NoteKey {
  try {
    return parseVerifierKey(text);
  } catch (cause) {
    throw new Fixable('usage', `${where} is not a verifier key: <name>+<key id>+<base64>`, { cause });
  }
}

export async function openWitness(program: Program, givenKey: string | undefined): Promise<Witness> {
  const { server, timeout } = await program.settings();
  const log = openHttpLog({ baseUrl: `${server.value}/ledger`, timeoutMs: timeout.value * 1000, userAgent });
  const path = memoryFile(server.value);
  return {
    server: server.value,
    log,
    look: () => alone(`${path}.lock`, () => look(server.value, log, path, givenKey)),
  };
}

async function look(server: string, log: HttpLog, path: string, givenKey: string | undefined) {
  const memory = await readMemory(path);
  if (givenKey !== undefined && memory !== undefined && memory.key !== givenKey)
    throw suspicious(`the ledger of ${server} was seen with the key ${memory.key} before`);
  const text = givenKey ?? memory?.key ?? (await reading(server, () => log.readKey()));
  const key = parseKey(text, givenKey === undefined ? 'what the server calls its key' : '--key');
  const note = await reading(server, () => log.readCheckpoint());
  const checkpoint = await openAs(note, key, server);
  const before = memory && (await openAs(toUtf8(memory.note), key, path));
  if (before !== undefined) await reading(server, () => prove(log, before, checkpoint));
  await writePrivate(path, `${JSON.stringify({ key: text, note: parseUtf8(note) } satisfies Memory)}\n`);
  const { origin: name, size, root } = checkpoint;
  const added = before === undefined ? null : size - before.size;
  return { checkpoint, sighting: { server, name, key: text, size, root: toHex(root), added } };
}

async function openAs(note: Uint8Array, key: NoteKey, where: string): Promise<Checkpoint> {
  try {
    return await openCheckpoint(note, key, nodePlatform.verifyEd25519);
  } catch (cause) {
    throw suspicious(`the checkpoint of ${where} is not signed by ${key.name}`, cause);
  }
}

async function prove(log: HttpLog, before: Checkpoint, now: Checkpoint): Promise<void> {
  await proveConsistency(log.readTile, before, now, sha256);
}

/** Outages end as outages, contradictions as what they are. */
export async function reading<T>(server: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof LogContradiction) throw suspicious(`${server}: ${error.message}`, error);
    if (error instanceof LogUnavailable)
      throw new Fixable('unreachable', error.message, {
        try: 'is the server running, and is the address right? recordproof config get server',
        cause: error,
      });
    throw error;
  }
}
