// Moving and renaming files, in one transaction. Records and proofs do not change.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { moveConflicts } from '@recordproof/shared/api/folders.ts';
import type { Call } from '../../platform/call.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import type { Tx } from '../../platform/db/tables.ts';
import { type Owner, ownerOf } from '../../platform/http/caller.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import {
  ensureFolders,
  type FileRow,
  findTakenNames,
  foldFileName,
  lockFolders,
  takeFreeName,
} from '../files/index.ts';
import { lockNewestByHash, type Placed, placeFiles } from './path-queries.ts';

export type OnConflict = (typeof moveConflicts)[number];

export type Moved = {
  readonly moved: number;
  readonly skipped: string[];
  readonly renamed: { fileHash: string; fileName: string }[];
  readonly path: string | null;
};

type FileMove = {
  readonly fileHash: readonly string[];
  /** Undefined: each stays in its folder. */
  readonly path?: string | undefined;
  readonly fileName?: string | undefined;
  readonly onConflict: OnConflict;
};

export async function moveFiles(
  { database, clock }: Pick<Server, 'database' | 'clock'>,
  call: Call,
  input: FileMove,
): Promise<Moved> {
  const owner = ownerOf(call.actor);
  return database.db.transaction().execute(async tx => {
    await lockFolders(tx, database.kind, owner);
    const now = clock.now();
    const plan = await planMoves(tx, database.kind, owner, input);
    if (input.path) await ensureFolders(tx, database.kind, [{ ...owner, path: input.path }], now);
    await placeFiles(tx, database.kind, plan.moves, { now, by: owner.ownerId });
    const [first] = plan.moves;
    if (first !== undefined)
      await recordAudit(tx, call, now, 'folders.move-files', toSentence(plan.moves), {
        files: plan.moves.length,
        fileIds: plan.moves.slice(0, 100).map(({ file }) => file.id),
        path: first.path,
        fileName: input.fileName ?? null,
      });
    return { moved: plan.moves.length, skipped: plan.skipped, renamed: plan.renamed, path: null };
  });
}

function toSentence(moves: readonly Placed[]): string {
  const [first] = moves;
  if (moves.length > 1) return `${moves.length} files moved to ${first?.path ?? 'the top level'}`;
  return `file ${first?.file.file_name} moved to ${first?.path ?? 'the top level'} as ${first?.fileName}`;
}

type Plan = Omit<Moved, 'moved' | 'path'> & { readonly moves: Placed[] };

async function planMoves(tx: Tx, engine: Engine, owner: Owner, input: FileMove): Promise<Plan> {
  const hashes = [...new Set(input.fileHash)];
  const found = new Map((await lockNewestByHash(tx, engine, owner, hashes)).map(file => [file.file_hash, file]));
  const missing = hashes.find(hash => !found.has(hash));
  if (missing !== undefined)
    throw new ApiError('FILE_NOT_EXIST', `${missing} is not the newest version of a file; nothing was moved`);
  const files = hashes.map(hash => found.get(hash) as FileRow);
  const targets = files
    .map(file => ({ file, path: toTarget(file, input), fileName: input.fileName ?? file.file_name }))
    .filter(({ file, path, fileName }) => file.path !== path || file.file_name !== fileName);
  const plan: Plan = { moves: [], skipped: [], renamed: [] };
  const conflicts: { fileHash: string; fileName: string; path: string | null }[] = [];
  for (const [path, some] of Map.groupBy(targets, target => target.path)) {
    const names = some.map(({ fileName }) => fileName);
    const taken = await findTakenNames(tx, owner, path, names);
    for (const target of some) {
      // A change of case only does not conflict with the file's own name.
      const isOwn = target.file.path === path && target.file.name_folded === foldFileName(target.fileName);
      if (isOwn || !taken.has(foldFileName(target.fileName))) {
        taken.add(foldFileName(target.fileName));
        plan.moves.push(target);
        continue;
      }
      const { file_hash: fileHash } = target.file;
      if (input.onConflict === 'skip') plan.skipped.push(fileHash);
      else if (input.onConflict === 'fail') conflicts.push({ fileHash, fileName: target.fileName, path });
      else {
        const fileName = takeFreeName(taken, target.fileName);
        plan.moves.push({ ...target, fileName });
        plan.renamed.push({ fileHash, fileName });
      }
    }
  }
  if (conflicts.length > 0) throw toConflict(conflicts);
  return plan;
}

const toTarget = (file: FileRow, { path }: FileMove): string | null => (path === undefined ? file.path : path || null);

export const toConflict = (conflicts: readonly { path: string | null; fileName?: string; fileHash?: string }[]) =>
  new ApiError('DATA_ALREADY_EXISTED', 'files or folders with these names already exist there; nothing was moved', {
    detail: { conflicts },
  });
