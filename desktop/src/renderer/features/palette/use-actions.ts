// Actions of the command palette: theme, motion, language, shortcuts, sign-out.
import { paletteWords } from '@recordproof/shared/words/app-palette.ts';
import { useBridge, useWords } from '../../context.ts';
import { changePreferences } from '../../preferences.ts';
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
