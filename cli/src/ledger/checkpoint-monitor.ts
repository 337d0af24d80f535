// Checkpoint monitor: stores the last signed checkpoint of a server's ledger on this machine, and checks that later ones
// extend it. Rejects any key other than the first one seen or the given one.
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { TransportError } from '@recordproof/shared/api/client.ts';
import { type Checkpoint, openCheckpoint } from '@recordproof/shared/evidence/checkpoint.ts';
import { parseUtf8, toHex, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { recordedAtOf, TimeOrder } from '@recordproof/shared/evidence/ledger-entry.ts';
import { describeContradiction } from '@recordproof/shared/evidence/log-contradiction.ts';
import { type HttpLog, LogUnavailable, openHttpLog } from '@recordproof/shared/evidence/log-over-http.ts';
import {
  LogContradiction,
  LogFollower,
  proveConsistency,
  readIncludedEntries,
} from '@recordproof/shared/evidence/log-reader.ts';
import { type NoteKey, parseVerifierKey } from '@recordproof/shared/evidence/signed-note.ts';
import { nodePlatform } from '@recordproof/verifier/node/node-platform.ts';
import { type CommandContext, userAgent } from '../platform/command-context.ts';
import { CommandError } from '../platform/command-error.ts';
import { stateFolder } from '../platform/folders.ts';
import { alone } from '../platform/lock.ts';
import { parseJsonFile, readPrivate, writePrivate } from '../platform/private-file.ts';
import { logCheckpoint, readCheckpointLog } from './checkpoint-log.ts';

type SignedCheckpoint = { readonly checkpoint: Checkpoint; readonly note: string };

/** The remembered state of one server. */
type StoredState = {
  readonly key: string;
  readonly note: string;
  /** The latest time of the entries that were read, in milliseconds since 1970. */
  readonly recordedUntil?: number;
};

export type CheckpointStatus = {
  readonly server: string;
  readonly name: string;
  readonly key: string;
  readonly size: number;
  readonly root: string;
  /** Entries since the stored checkpoint; null when there was none. */
  readonly added: number | null;
};

export type CheckpointMonitor = {
  readonly server: string;
  readonly log: HttpLog;
  /** The file with every signed checkpoint that was seen. */
  readonly kept: string;
  /** Reads the newest checkpoint, proves that it continues the remembered one, and remembers it instead. */
  fetchCheckpoint(): Promise<SignedCheckpoint & { readonly status: CheckpointStatus }>;
};

const suspicious = (message: string, cause?: unknown): CommandError =>
  new CommandError('damaged', message, { try: 'ask the operator of the server, and keep this message', cause });

const stateFile = (server: string): string =>
  join(stateFolder(), 'ledgers', `${createHash('sha256').update(server).digest('hex').slice(0, 32)}.json`);

async function readState(path: string): Promise<StoredState | undefined> {
  const text = await readPrivate(path, 'writers');
  if (text === undefined) return undefined;
  const { key, note, recordedUntil } = parseJsonFile(path, text);
  if (typeof key === 'string' && typeof note === 'string')
    return { key, note, ...(typeof recordedUntil === 'number' && { recordedUntil }) };
  throw new CommandError('config', `${path} is not a stored checkpoint`, { try: 'delete it to start over' });
}

function parseKey(text: string, where: string): NoteKey {
  try {
    return parseVerifierKey(text);
  } catch (cause) {
    throw new CommandError('usage', `${where} is not a verifier key: <name>+<key id>+<base64>`, { cause });
  }
}

export async function openCheckpointMonitor(
  context: CommandContext,
  givenKey: string | undefined,
): Promise<CheckpointMonitor> {
  const { server, timeout } = await context.settings();
  const { fetch } = await context.network();
  const log = openHttpLog({ baseUrl: `${server.value}/ledger`, timeoutMs: timeout.value * 1000, userAgent, fetch });
  const path = stateFile(server.value);
  return {
    server: server.value,
    log,
    kept: checkpointLog(path),
    fetchCheckpoint: () => alone(`${path}.lock`, () => advance(server.value, log, path, givenKey)),
  };
}

async function advance(server: string, log: HttpLog, path: string, givenKey: string | undefined) {
  const stored = await readState(path);
  if (givenKey !== undefined && stored !== undefined && stored.key !== givenKey)
    throw suspicious(`the ledger of ${server} was seen with the key ${stored.key} before`);
  const text = givenKey ?? stored?.key ?? (await reading(server, () => log.readKey()));
  const key = parseKey(text, givenKey === undefined ? 'what the server calls its key' : '--key');
  const bytes = await reading(server, () => log.readCheckpoint());
  const checkpoint = await openAs(bytes, key, server);
  const note = parseUtf8(bytes);
  const before = stored && (await openAs(toUtf8(stored.note), key, path));
  // Stored before it is checked: a checkpoint that turns out to be wrong is needed later as evidence.
  if (stored?.note !== note)
    await logCheckpoint(checkpointLog(path), { seenAt: new Date().toISOString(), key: text, note });
  const access = { server, log, path, key: text };
  if (stored !== undefined && before !== undefined)
    await proveExtension(access, { checkpoint: before, note: stored.note }, { checkpoint, note });
  if (stored?.note !== note)
    for (const other of await listElsewhere(access, key))
      if (other.checkpoint.size <= checkpoint.size) await proveExtension(access, other, { checkpoint, note });
  const order = new TimeOrder(stored?.recordedUntil);
  // Without the stored time, a new entry that is dated years ago would pass as the first one.
  if (stored?.recordedUntil === undefined) await readLastTimes(access, before ?? checkpoint, order);
  if (before !== undefined && before.size < checkpoint.size) await readTimes(access, before, checkpoint, order);
  const recordedUntil = Number.isFinite(order.latest) ? { recordedUntil: order.latest } : {};
  await writePrivate(path, `${JSON.stringify({ key: text, note, ...recordedUntil } satisfies StoredState)}\n`);
  rejectTimesThatGoBack(order.steps);
  const { origin: name, size, root } = checkpoint;
  const added = before === undefined ? null : size - before.size;
  return { checkpoint, note, status: { server, name, key: text, size, root: toHex(root), added } };
}

/**
 * Checkpoints of this ledger, by its key, that were stored under other addresses: a forked ledger under a new address
 * is a forked ledger. Larger ones are compared when their address is read again.
 */
async function listElsewhere({ path, key: text }: LedgerAccess, key: NoteKey): Promise<SignedCheckpoint[]> {
  const found: SignedCheckpoint[] = [];
  for (const name of await readdir(dirname(path))) {
    const other = join(dirname(path), name);
    if (!name.endsWith('.json') || name.includes('.contradiction.') || other === path) continue;
    const state = await readState(other);
    if (state?.key === text) found.push({ checkpoint: await openAs(toUtf8(state.note), key, other), note: state.note });
  }
  return found;
}

/** The file with every signed checkpoint that was seen of a server. */
const checkpointLog = (path: string): string => path.replace(/\.json$/, '.checkpoints');

type LedgerAccess = { readonly server: string; readonly log: HttpLog; readonly path: string; readonly key: string };

/** Reads the last bundle of entries, which is under the root of the checkpoint. */
async function readLastTimes({ server, log }: LedgerAccess, checkpoint: Checkpoint, order: TimeOrder): Promise<void> {
  if (checkpoint.size === 0) return;
  const { first, entries } = await reading(server, () =>
    readIncludedEntries(log.readTile, checkpoint, checkpoint.size - 1),
  );
  for (const [at, entry] of entries.entries()) order.add(first + at, recordedAtOf(entry));
}

/** Reads the entries that are new; together they must carry the root of the checkpoint. */
async function readTimes(
  { server, log }: LedgerAccess,
  before: Checkpoint,
  now: Checkpoint,
  order: TimeOrder,
): Promise<void> {
  await reading(server, async () => {
    const follower = await LogFollower.behind(log.readTile, before);
    await follower.follow(now, (entry, position) => order.add(position, recordedAtOf(entry)));
  });
}

/** A wrong clock or a false date: reported once. */
export function rejectTimesThatGoBack(steps: readonly string[]): void {
  const [first] = steps;
  if (first === undefined) return;
  const more = steps.length === 1 ? '' : `, and ${steps.length - 1} more`;
  throw suspicious(`the times of the ledger go back: ${first}${more}`);
}

async function openAs(note: Uint8Array, key: NoteKey, where: string): Promise<Checkpoint> {
  try {
    return await openCheckpoint(note, key, nodePlatform.verifyEd25519);
  } catch (cause) {
    throw suspicious(`the checkpoint of ${where} is not signed by ${key.name}`, cause);
  }
}

/** Writes `BASE.m-n.contradiction.json`, verifiable by third parties; returns what the file proves by itself. */
async function writeContradiction(
  base: string,
  { key, log }: LedgerAccess,
  pair: readonly [SignedCheckpoint, SignedCheckpoint],
) {
  const file = await describeContradiction(key, pair, log.readTile);
  const path = `${base}.${pair[0].checkpoint.size}-${pair[1].checkpoint.size}.contradiction.json`;
  await writePrivate(path, `${JSON.stringify(file, null, 2)}\n`);
  return { path, isProof: file.isProof };
}

/** Two contradictory checkpoints signed by one key are evidence: both are kept. */
async function proveExtension(access: LedgerAccess, before: SignedCheckpoint, now: SignedCheckpoint): Promise<void> {
  const { server, log, path } = access;
  try {
    await reading(server, () => proveConsistency(log.readTile, before.checkpoint, now.checkpoint));
  } catch (error) {
    if (!(error instanceof CommandError && error.cause instanceof LogContradiction)) throw error;
    const kept = await writeContradiction(path.replace(/\.json$/, ''), access, [before, now]);
    throw new CommandError('damaged', error.message, {
      try: kept.isProof
        ? `keep ${kept.path}: it proves to any third party that the log was rewritten`
        : `keep ${kept.path}: it holds the two signed checkpoints; the server shows no hashes that prove more`,
      cause: error.cause,
    });
  }
}

type Comparison = { readonly server: string; readonly compared: number; readonly size: number };

/** Whether the given checkpoints of this ledger and the newest one here are of one history. */
export async function compareWith(context: CommandContext, file: string, givenKey?: string): Promise<Comparison> {
  const monitor = await openCheckpointMonitor(context, givenKey);
  const { checkpoint, note, status } = await monitor.fetchCheckpoint();
  const key = parseKey(status.key, 'the key of the ledger');
  const access = { server: monitor.server, log: monitor.log, path: stateFile(monitor.server), key: status.key };
  const theirs = await readCheckpointLog(file);
  if (theirs.length === 0) throw new CommandError('config', `${file} holds no checkpoint, so nothing was compared`);
  for (const kept of theirs) {
    if (kept.key !== status.key)
      throw suspicious(`${file} is of the key ${kept.key}, and this machine saw ${status.key}`);
    const other = { checkpoint: await openAs(toUtf8(kept.note), key, file), note: kept.note };
    const own = { checkpoint, note };
    const pair = other.checkpoint.size <= checkpoint.size ? ([other, own] as const) : ([own, other] as const);
    await proveExtension(access, ...pair);
  }
  return { server: monitor.server, compared: theirs.length, size: checkpoint.size };
}

/** Reports outages, and contradictions. */
export async function reading<T>(server: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof LogContradiction) throw suspicious(`${server}: ${error.message}`, error);
    if (error instanceof LogUnavailable && error.cause instanceof TransportError) throw error.cause;
    if (error instanceof LogUnavailable)
      throw new CommandError('unreachable', error.message, {
        try: 'check that the server is running, and its address: recordproof config get server',
        cause: error,
      });
    throw error;
  }
}
