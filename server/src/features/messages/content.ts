// Validation of message content, and one-line previews.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { imageDownloadPrefix } from '@recordproof/shared/api/images.ts';
import { type MessageType, maxPreview } from '@recordproof/shared/api/messages.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { toOneLine } from '../../platform/text.ts';
import { findFileByHash, isLive } from '../files/index.ts';
import { isOwnImage } from '../images/index.ts';
import type { MessageRow } from './queries.ts';

export type Content = { readonly contentType: MessageType; readonly content: string };

/**
 * Messages may refer only to the sender's own files: otherwise an error would reveal what exists elsewhere. Returns the
 * name of a file.
 */
export async function checkContent(db: Db, actor: Actor, { contentType, content }: Content): Promise<string | null> {
  switch (contentType) {
    case 'text':
      return null;
    case 'image': {
      const isOwn = await isOwnImage(db, actor, content.slice(imageDownloadPrefix.length));
      if (!isOwn) throw new ApiError('NOT_FOUND', 'you have not uploaded a picture with this id');
      return null;
    }
    case 'file': {
      const file = await findFileByHash(db, actor.tenantId, content);
      if (file?.owner_id !== actor.userId || !isLive(file)) throw new ApiError('FILE_NOT_EXIST');
      return file.file_name;
    }
  }
}

const textOf = ({ content_type, content, file_name }: MessageRow): string => {
  switch (content_type as MessageType) {
    case 'text':
      return content;
    case 'image':
      return '[image]';
    case 'file':
      return `[file] ${file_name}`;
  }
};

export const toPreview = (message: MessageRow): string => toOneLine(textOf(message), maxPreview);
