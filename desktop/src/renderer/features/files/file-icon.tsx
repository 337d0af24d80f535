// Icon of a file in a list: its thumbnail where it has one, else an icon of its type. Its accessible name is the name
// next to it.
import type { File } from '@recordproof/shared/api/files.ts';
import { hasThumbnail, iconOf, iconPaths } from '@recordproof/shared/preview-kinds.ts';
import { useMemo } from 'react';
import { useBridge, useWatched } from '../../context.ts';
import { Icon } from '../../ui/icon.tsx';

type Iconic = Pick<File, 'fileHash' | 'contentType' | 'fileSize'>;

export const FileIcon = ({ file }: { readonly file: Iconic }) => (
  <span className="file-icon">{hasThumbnail(file) ? <Thumbnail file={file} /> : <TypeIcon file={file} />}</span>
);

export const TypeIcon = ({ file }: { readonly file: Pick<File, 'contentType'> }) => (
  <Icon name={iconPaths[iconOf(file.contentType)]} />
);

function Thumbnail({ file }: { readonly file: Iconic }) {
  const { thumbnails } = useBridge();
  const url = useWatched(useMemo(() => thumbnails.shown(file.fileHash), [thumbnails, file.fileHash]));
  return url ? <img src={url} alt="" width={28} height={28} decoding="async" /> : <TypeIcon file={file} />;
}
