// Witness of a server's ledger: remembers the last signed checkpoint on this machine and checks that later ones extend it.
// Rejects another key than the first one seen or the one given.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { TransportError } from '@recordproof/shared/api/client.ts';
import { type Checkpoint, openCheckpoint } from '@recordproof/shared/evidence/checkpoint.ts';
import { parseUtf8, toHex, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { type HttpLog, LogUnavailable, openHttpLog } from '@recordproof/shared/evidence/log-over-http.ts';
import { LogContradiction, proveConsistency } from '@recordproof/shared/evidence/log-reader.ts';
import { type NoteKey, parseVerifierKey } from '@recordproof/shared/evidence/signed-note.ts';
import { sha256 } from '@recordproof/shared/node/sha256.ts';
import { nodePlatform } from '@recordproof/verifier/node/node-platform.ts';
import { type CommandContext, userAgent } from '../platform/command-context.ts';
import { Fixable } from '../platform/fixable.ts';
import { stateFolder } from '../platform/folders.ts';
import { parseJsonFile } from '../platform/json-file.ts';
import { alone } from '../platform/lock.ts';
import { readPrivate, writePrivate } from '../platform/private-file.ts';

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
  new Fixable('damaged', message, { try: 'ask the operator of the server, and keep this message', cause });

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

export async function openWitness(context: CommandContext, givenKey: string | undefined): Promise<Witness> {
  const { server, timeout } = await context.settings();
  const { fetch } = await context.network();
  const log = openHttpLog({ baseUrl: `${server.value}/ledger`, timeoutMs: timeout.value * 1000, userAgent, fetch });
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
  if (memory !== undefined && before !== undefined)
    await proveOrKeep({ server, log, path }, before, checkpoint, { memory, note });
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

type Place = { readonly server: string; readonly log: HttpLog; readonly path: string };
type Signed = { readonly memory: Memory; readonly note: Uint8Array };

/** Two checkpoints that one key signed and that cannot both be true are the evidence of a witness: both are kept. */
async function proveOrKeep(
  { server, log, path }: Place,
  before: Checkpoint,
  now: Checkpoint,
  { memory, note }: Signed,
): Promise<void> {
  try {
    await reading(server, () => proveConsistency(log.readTile, before, now, sha256));
  } catch (error) {
    if (!(error instanceof Fixable && error.cause instanceof LogContradiction)) throw error;
    const kept = path.replace(/\.json$/, `.${before.size}-${now.size}.contradiction.json`);
    const { key, note: remembered } = memory;
    await writePrivate(kept, `${JSON.stringify({ key, remembered, shown: parseUtf8(note) })}\n`);
    throw new Fixable('damaged', error.message, {
      try: `keep ${kept}: the two signed checkpoints in it show that the log was rewritten`,
      cause: error.cause,
    });
  }
}

/** Outages end as outages, contradictions as what they are. */
export async function reading<T>(server: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof LogContradiction) throw suspicious(`${server}: ${error.message}`, error);
    if (error instanceof LogUnavailable && error.cause instanceof TransportError) throw error.cause;
    if (error instanceof LogUnavailable)
      throw new Fixable('unreachable', error.message, {
        try: 'is the server running, and is the address right? recordproof config get server',
        cause: error,
      });
    throw error;
  }
}
