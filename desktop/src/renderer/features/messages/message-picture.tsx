import { useSocialSay } from '../../social-say.ts';
import { useBridge, useSay } from '../../surroundings.ts';
import { Pixels } from '../../ui/pixels.tsx';
import { useLoad } from '../../ui/use-load.ts';

/** What is gone, or is no picture, is said to be one that cannot be shown. */
export function MessagePicture({ path, onShown }: { readonly path: string; readonly onShown: () => void }) {
  const { talk } = useSocialSay();
  const { loading } = useSay();
  const { downloads } = useBridge();
  const { state } = useLoad(path, signal => downloads.readPicture(path, signal));
  const otherwise = <em>{talk.imageHere}</em>;
  if (state.kind === 'loading') return <em>{loading}</em>;
  if (state.kind === 'failed') return otherwise;
  return <Pixels {...state.value} name={talk.image} otherwise={otherwise} onShown={onShown} />;
}
