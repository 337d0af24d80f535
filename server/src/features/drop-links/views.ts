// Wire format of drop links and received files.
import type { DropArrival, DropLink } from '@recordproof/shared/api/drop-links.ts';
import type { DropInfo, SentFile } from '@recordproof/shared/api/drop-senders.ts';
import { toIso, toIsoOrNull } from '../../platform/clock.ts';
import type { Time } from '../../platform/db/tables.ts';
import { toWireId } from '../../platform/ids.ts';
import { displayName } from '../accounts/index.ts';
import { type FileRow, isLive } from '../files/index.ts';
import { type Entered, fieldsOf } from './enter-link.ts';
import { stateOf } from './policy.ts';
import type { ArrivalRow, LinkRow, SenderRow } from './queries.ts';

export const toLinkView = (link: LinkRow, now: Time): DropLink => ({
  id: toWireId(link.id),
  code: link.code,
  state: stateOf(link, now),
  title: link.title,
  message: link.message,
  path: link.path,
  fields: fieldsOf(link),
  hasPassword: link.password_hash !== null,
  expireTime: toIso(link.expire_at),
  maxFiles: link.max_files,
  maxBytes: link.max_bytes,
  maxFileBytes: link.max_file_bytes,
  maxFilesPerAddress: link.max_files_per_address,
  arrivedFiles: link.arrived_files,
  arrivedBytes: link.arrived_bytes,
  createdAt: toIso(link.created_at),
});

export const toInfo = ({ link, owner }: Entered, now: Time, maxFileBytes: number): DropInfo => ({
  title: link.title,
  message: link.message,
  recipient: displayName(owner),
  state: stateOf(link, now),
  expireTime: toIso(link.expire_at),
  hasPassword: link.password_hash !== null,
  fields: fieldsOf(link),
  filesLeft: Math.max(0, link.max_files - link.arrived_files),
  bytesLeft: Math.max(0, link.max_bytes - link.arrived_bytes),
  maxFileBytes: Math.min(maxFileBytes, link.max_file_bytes),
});

const toProofStatus = (file: FileRow | undefined): SentFile['proofStatus'] =>
  file !== undefined && isLive(file) ? (file.proof_status as SentFile['proofStatus']) : 'DELETED';

/** `file` is undefined before it is received, and once its record is gone. */
export const toSentView = (arrival: ArrivalRow, file: FileRow | undefined): SentFile => ({
  id: toWireId(arrival.id),
  key: arrival.key,
  state: arrival.receipt === null ? 'UPLOADING' : 'COMPLETED',
  fileName: arrival.file_name,
  path: arrival.path,
  fileSize: arrival.file_size,
  receivedAt: toIsoOrNull(arrival.received_at),
  contentHash: file?.content_hash ?? null,
  fileHash: file?.file_hash ?? null,
  proofStatus: arrival.receipt === null ? 'NONE' : toProofStatus(file),
  receipt: arrival.receipt,
});

/** Returns null if the file's record is gone. */
export function toArrivalView(
  arrival: ArrivalRow,
  file: FileRow | undefined,
  sender: SenderRow | undefined,
): DropArrival | null {
  if (file === undefined || arrival.received_at === null) return null;
  return {
    id: toWireId(arrival.id),
    fileName: arrival.file_name,
    path: arrival.path,
    fileSize: arrival.file_size,
    receivedAt: toIso(arrival.received_at),
    contentHash: file.content_hash,
    fileHash: file.file_hash,
    proofStatus: toProofStatus(file),
    storedName: isLive(file) ? file.file_name : null,
    ip: sender?.ip ?? '',
    fields: sender === undefined ? {} : (JSON.parse(sender.fields) as Record<string, string>),
  };
}
