// Entries of the command palette besides screens: actions, and files whose names match what was typed.
import { searchFiles } from '@recordproof/shared/api/files.ts';
import { toShownName } from '@recordproof/shared/shown-name.ts';
import { paletteWords } from '@recordproof/shared/words/app-palette.ts';
import { useBridge, useWords } from '../../context.ts';
import { changePreferences } from '../../preferences.ts';
import { go } from '../../router.ts';
import { useDebounced, useLoad } from '../../ui/hooks.ts';
import type { Entry } from './entries.ts';

export function useActions(showKeys: () => void): Entry[] {
  const texts = useWords(paletteWords);
  const { session } = useBridge();
  const action = (id: string, icon: Entry['icon'], title: string, run: () => void): Entry => {
    return { id, kind: 'action', icon, title, run };
  };
  return [
    action('light', 'theme', texts.light, () => changePreferences({ theme: 'light' })),
    action('dark', 'theme', texts.dark, () => changePreferences({ theme: 'dark' })),
    action('system', 'theme', texts.system, () => changePreferences({ theme: 'system' })),
    action('motion-off', 'theme', texts.motionOff, () => changePreferences({ motion: 'off' })),
    action('motion-on', 'theme', texts.motionOn, () => changePreferences({ motion: 'system' })),
    action('english', 'theme', texts.english, () => changePreferences({ language: 'en' })),
    action('chinese', 'theme', texts.chinese, () => changePreferences({ language: 'zh' })),
    action('keys', 'search', texts.keys, showKeys),
    // A failure shows with the next call.
    action(
      'sign-out',
      'account',
      texts.signOut,
      () => void session.signOut({ everywhere: false }).catch(() => undefined),
    ),
  ];
}

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
