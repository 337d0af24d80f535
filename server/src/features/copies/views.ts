// Wire format of received files, for their recipients.
import type { SharedFile, ShareInfo } from '@recordproof/shared/api/share-access.ts';
import { toWireId } from '../../platform/ids.ts';
import type { FileRow } from '../files/index.ts';

/** Before the gift is opened. */
export const toListedFile = (file: FileRow): ShareInfo['files'][number] => ({
  fileId: toWireId(file.id),
  fileHash: file.file_hash,
  fileName: file.file_name,
  path: file.path,
  fileSize: file.file_size,
});

export const toSharedFile = (file: FileRow): SharedFile => ({
  ...toListedFile(file),
  contentType: file.content_type,
  contentHash: file.content_hash,
  manifestHash: file.manifest_hash,
});
