// Drop zone around all screens: dropped files are uploaded into the current folder.
import { type DragEvent, type ReactNode, useState } from 'react';
import { useBridge, useTexts } from '../../context.ts';
import { useRoute } from '../../router.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { lazyPart } from '../../ui/lazy.tsx';
import { Problem } from '../../ui/states.tsx';
import { fromDrop } from './chosen-files.ts';
import { useSending } from './use-sending.tsx';

const SharedFilesDialog = lazyPart(async () => (await import('./shared-files-dialog.tsx')).SharedFilesDialog);

const hasFiles = (event: DragEvent): boolean => event.dataTransfer.types.includes('Files');

/** The verify screen takes dropped files itself. */
export function DropZone({ children }: { readonly children: ReactNode }) {
  const texts = useTexts().list;
  const { capabilities, sharedFiles } = useBridge();
  const { send, dialog } = useSending();
  const { path, query } = useRoute();
  const [depth, setDepth] = useState(0);
  const [isReading, setReading] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const isOurs = path !== 'verify';
  const folder = path === 'files' || path === '' ? (query.get('folder') ?? '') : '';
  const drop = async (event: DragEvent) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    setDepth(0);
    if (!isOurs) return;
    setReading(true);
    try {
      const chosen = await fromDrop(event.dataTransfer, folder, capabilities.wantsHandles);
      await send(chosen);
    } catch (failure) {
      setError(failure);
    } finally {
      setReading(false);
    }
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the buttons choose files without a pointer
    <div
      style={{ height: '100%' }}
      onDragEnter={event => hasFiles(event) && setDepth(depth + 1)}
      onDragLeave={event => hasFiles(event) && setDepth(Math.max(0, depth - 1))}
      onDragOver={event => hasFiles(event) && event.preventDefault()}
      onDrop={drop}
    >
      {children}
      {dialog}
      {sharedFiles && query.has('shared') && <SharedFilesDialog source={sharedFiles} send={send} />}
      {depth > 0 && isOurs && <div className="dropping">{folder === '' ? texts.drop : texts.dropInto(folder)}</div>}
      {isReading && (
        <div className="dropping" role="status">
          {texts.reading}
        </div>
      )}
      {error !== null && (
        <Dialog title={texts.notRead} onClose={() => setError(null)}>
          <Problem error={error} />
        </Dialog>
      )}
    </div>
  );
}
