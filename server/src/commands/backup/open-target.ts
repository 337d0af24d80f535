// Backup targets by their address on the command line: a folder, or a prefix in a bucket.
import { relative, resolve } from 'node:path';
import { toRealPath } from '@recordproof/shared/node/real-path.ts';
import { toBucketProblem } from '../../compose/open-store.ts';
import { type Config, ConfigError } from '../../config/config.ts';
import { type BackupTarget, openFolderTarget } from '../../platform/backup/backup-target.ts';
import { openS3Target } from '../../platform/backup/s3-target.ts';
import { ObjectStoreError, parseObjectKey } from '../../platform/objects/object-store.ts';
import { UsageError } from '../outcome.ts';

type Settings = Pick<Config, 'backup' | 'objects' | 'dataFolder'>;

/** Two letters or more: a single letter is a drive of a Windows path. */
const schemeForm = /^([a-z][a-z0-9+.-]+):/i;
const s3Form = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/+(.*))?$/;

export function openBackupTarget(address: string, config: Settings): Promise<BackupTarget> | BackupTarget {
  const scheme = schemeForm.exec(address)?.[1];
  if (scheme === undefined) return openFolderTarget(resolve(address));
  if (scheme.toLowerCase() !== 's3')
    throw new UsageError(`backups cannot be kept at "${scheme}:"; name a folder, or s3://BUCKET/PREFIX.`);
  return openBucket(address, config);
}

async function openBucket(address: string, { backup, objects }: Settings): Promise<BackupTarget> {
  const [, bucket, folders = ''] = s3Form.exec(address) ?? [];
  if (bucket === undefined) throw new UsageError(`"${address}" is not an address of the form s3://BUCKET/PREFIX.`);
  const prefix = toPrefix(address, folders);
  const store = backup.store ?? (objects.kind === 's3' ? objects : null);
  if (store === null)
    throw new ConfigError(
      'no S3 store of backups is set up: RECORDPROOF_BACKUP_S3_ENDPOINTS, RECORDPROOF_BACKUP_S3_ACCESS_KEY_ID and RECORDPROOF_BACKUP_S3_SECRET_ACCESS_KEY are missing.',
    );
  if (
    objects.kind === 's3' &&
    objects.bucket === bucket &&
    objects.endpoints.some(one => store.endpoints.includes(one))
  )
    throw new UsageError(
      `the bucket "${bucket}" stores the objects of this installation; choose another one for backups.`,
    );
  const credentials = {
    accessKeyId: store.accessKeyId.reveal(),
    secretAccessKey: store.secretAccessKey.reveal(),
  };
  try {
    const { endpoints, region } = store;
    return await openS3Target({ endpoints, region, bucket, credentials }, prefix);
  } catch (error) {
    if (!(error instanceof ObjectStoreError)) throw error;
    throw toBucketProblem(error, `the S3 store of backups at ${store.endpoints.join(', ')}`, bucket);
  }
}

/** The longest name below the prefix has about a hundred characters. */
const longestPrefix = 400;

function toPrefix(address: string, folders: string): string {
  const trimmed = folders.replace(/\/+$/, '');
  if (trimmed === '') return '';
  if (trimmed.length > longestPrefix)
    throw new UsageError(`the prefix in "${address}" is longer than ${longestPrefix}.`);
  try {
    return `${parseObjectKey(trimmed)}/`;
  } catch (error) {
    throw new UsageError(
      `the prefix in "${address}" cannot be used: ${error instanceof Error ? error.message : error}.`,
    );
  }
}

/** Rejects a target inside the data folder: backups must outlive it. */
export function rejectInside(address: string, dataFolder: string): void {
  if (schemeForm.test(address)) return;
  const path = relative(toRealPath(dataFolder), toRealPath(resolve(address)));
  if (path === '' || !(path.startsWith('..') || path.startsWith('/')))
    throw new UsageError(
      'the backup folder is inside the data folder and would be lost with it; choose another one, preferably on another disk.',
    );
}
