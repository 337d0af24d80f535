// Context of all screens: the bridge, the language, the texts, the account.
import { type AppTexts, appWords } from '@recordproof/shared/words/app.ts';
import type { Language } from '@recordproof/shared/words/words.ts';
import { createContext, useContext, useSyncExternalStore } from 'react';
import type { Account, Bridge, FeedState, Watched } from '../bridge/bridge.ts';
import { preferences } from './preferences.ts';

export const BridgeContext = createContext<Bridge | null>(null);

export function useBridge(): Bridge {
  const bridge = useContext(BridgeContext);
  if (!bridge) throw new Error('BridgeContext is missing: render this component inside the app');
  return bridge;
}

export const useWatched = <T>({ watch, get }: Watched<T>): T => useSyncExternalStore(watch, get);

export const useLanguage = (): Language => useWatched(preferences).language;
export const useTexts = (): AppTexts => appWords[useLanguage()];

/** Texts that are loaded with their screens. */
export const useWords = <T>(words: Readonly<Record<Language, T>>): T => words[useLanguage()];

/** The screen that is shown. */
export const ScreenContext = createContext({ name: '', title: '' });

export const useTitle = (): string => useContext(ScreenContext).title;

const online: Watched<boolean> = {
  get: () => navigator.onLine,
  watch: changed => {
    addEventListener('online', changed);
    addEventListener('offline', changed);
    return () => {
      removeEventListener('online', changed);
      removeEventListener('offline', changed);
    };
  },
};

/** State of the event stream. A device without a network knows that before the stream ends. */
export function useFeed(): FeedState {
  const state = useWatched(useBridge().events.state);
  return useWatched(online) || state === 'off' ? state : 'waiting';
}

/** Only inside the shell, which is shown to a signed-in person. */
export function useAccount(): Account {
  const state = useWatched(useBridge().session.state);
  if (state.kind !== 'signed-in') throw new Error('no account is signed in');
  return state.account;
}
