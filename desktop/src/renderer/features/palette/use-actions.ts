// What the palette can do by itself.
import { paletteWords } from '@recordproof/shared/words/app-palette.ts';
import { useBridge, useLanguage } from '../../context.ts';
import { changePreferences } from '../../preferences.ts';
import type { Entry } from './entries.ts';

export const usePaletteSay = () => paletteWords[useLanguage()];

export function useActions(showKeys: () => void): Entry[] {
  const say = usePaletteSay();
  const { session } = useBridge();
  const action = (id: string, icon: Entry['icon'], title: string, run: () => void): Entry => {
    return { id, kind: 'action', icon, title, run };
  };
  return [
    action('light', 'look', say.light, () => changePreferences({ theme: 'light' })),
    action('dark', 'look', say.dark, () => changePreferences({ theme: 'dark' })),
    action('system', 'look', say.system, () => changePreferences({ theme: 'system' })),
    action('motion-off', 'look', say.motionOff, () => changePreferences({ motion: 'off' })),
    action('motion-on', 'look', say.motionOn, () => changePreferences({ motion: 'system' })),
    action('english', 'look', say.english, () => changePreferences({ language: 'en' })),
    action('chinese', 'look', say.chinese, () => changePreferences({ language: 'zh' })),
    action('keys', 'search', say.keys, showKeys),
    // What fails is told by the session, which is then unreachable.
    action(
      'sign-out',
      'account',
      say.signOut,
      () => void session.signOut({ everywhere: false }).catch(() => undefined),
    ),
  ];
}
