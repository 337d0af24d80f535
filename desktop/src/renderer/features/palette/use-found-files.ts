// Files whose names match what was typed into the palette.
import { searchFiles } from '@recordproof/shared/api/files.ts';
import { toShownName } from '@recordproof/shared/shown-name.ts';
import { useBridge } from '../../context.ts';
import { go } from '../../router.ts';
import { useDebounced, useLoad } from '../../ui/hooks.ts';
import type { Entry } from './entries.ts';

const mostFiles = 8;

export function useFoundFiles(typed: string): Entry[] {
  const { call } = useBridge();
  const keyword = useDebounced(typed.trim());
  const { state } = useLoad(keyword, async signal => {
    if (keyword === '') return [];
    const { records } = await call(searchFiles, { query: { keyword, size: mostFiles }, signal });
    return records.map(({ fileHash, fileName }): Entry => {
      const run = () => go('files', { file: fileHash });
      return { id: fileHash, kind: 'file', icon: 'files', title: toShownName(fileName), run };
    });
  });
  return state.kind === 'ready' ? state.value : [];
}
