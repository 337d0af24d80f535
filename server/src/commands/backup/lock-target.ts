// The target of backups: locked for one backup at a time, marked as that of one installation, with one salt for all.
import { jsonOrNone } from '@recordproof/shared/json-or-none.ts';
import { z } from 'zod';
import { newSalt, saltText } from '../../platform/backup/backup-keys.ts';
import type { BackupTarget } from '../../platform/backup/backup-target.ts';
import { BackupRejected } from '../../platform/backup/backup-target.ts';
import { readHeader } from '../../platform/backup/manifest.ts';

const markName = 'recordproof-backups.json';
const saltName = 'recordproof-backups.salt';
const mark = z.strictObject({ format: z.literal('recordproof-backups'), fingerprint: z.string() });

/** Rejects a target with anything but backups of this installation. Returns whether it has no backups yet. */
async function rejectOtherUse(target: BackupTarget, fingerprint: string): Promise<boolean> {
  // List before reading the mark: a rival writes its mark before anything else.
  const names = await target.listTop();
  const text = await target.readFile(markName, largestMark);
  if (text !== null) {
    if (mark.safeParse(jsonOrNone(text.toString('utf8'))).data?.fingerprint === fingerprint) return false;
    throw new BackupRejected(`${target.name} keeps the backups of another installation; name another folder.`);
  }
  const foreign = names.filter(name => !name.startsWith(markName)); // with a suffix: temporary copies of the mark
  if (foreign.length > 0)
    throw new BackupRejected(`${target.name} contains other files; name a folder that is empty or new.`);
  return true;
}

const largestMark = 4096;

/** Locks the target for this process until the lock is closed. */
export async function lockTarget(target: BackupTarget, fingerprint: string): Promise<{ close(): unknown }> {
  await rejectOtherUse(target, fingerprint);
  const lock = await target.lock(`another backup to ${target.name} is under way; wait until it is over.`);
  if (!(await rejectOtherUse(target, fingerprint))) return lock;
  const content = { format: 'recordproof-backups', fingerprint } satisfies z.infer<typeof mark>;
  await target.createFile(markName, Buffer.from(`${JSON.stringify(content)}\n`));
  return lock;
}

export type Earlier = { readonly name: string; readonly salt: string; readonly keyId: string | undefined };

/** The newest backup in the target. */
export async function findEarlier(target: BackupTarget): Promise<Earlier | null> {
  const name = (await target.listManifests()).at(-1);
  return name === undefined ? null : readEarlier(target, name);
}

export async function readEarlier(target: BackupTarget, name: string): Promise<Earlier | null> {
  try {
    const { salt, pool } = await readHeader(target, name);
    return { name, salt, keyId: pool };
  } catch (error) {
    if (error instanceof BackupRejected) return null; // unreadable: a new backup replaces it
    throw error;
  }
}

/** One salt per target, so that backups with the same passphrase share pieces. */
export async function claimSalt(target: BackupTarget, earlier: Earlier | null): Promise<string> {
  const noted = (await target.readFile(saltName, largestMark))?.toString('utf8').trimEnd();
  if (noted !== undefined) {
    if (saltText.safeParse(noted).success) return noted;
    throw new BackupRejected(`the file ${target.pathOf(saltName)} is damaged; remove it: earlier backups hold a copy.`);
  }
  const salt = earlier?.keyId === undefined ? newSalt() : earlier.salt;
  await target.createFile(saltName, Buffer.from(`${salt}\n`));
  return salt;
}
